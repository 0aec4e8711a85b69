package project

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ruleFolders are the folders of a repository in which people write rules for their assistants: Claude Code, Cursor, Copilot,
// Kiro, Cline, Windsurf, Qwen Code, and those that share .agents. Sources are their documentation.
var ruleFolders = []string{
	".claude/rules", ".cursor/rules", ".github/instructions", ".kiro/steering", ".clinerules", ".windsurf/rules", ".qwen/rules",
	".agents/rules",
}

// RuleFolders returns the folders with rules for assistants that the repository has, relative to Root. Their files are documents
// of the project's own, and are never written. It returns none if the configuration leaves them out.
func (p *Project) RuleFolders() []string { return slices.Clone(p.ruleFolders) }

func (p *Project) findRuleFolders() []string {
	if !p.Config.Rules {
		return nil
	}
	var found []string
	for _, folder := range ruleFolders {
		info, err := os.Lstat(filepath.Join(p.Root, filepath.FromSlash(folder)))
		if err != nil || !info.IsDir() {
			continue
		}
		found = append(found, folder)
	}
	return found
}

// IsRuleFile reports whether a file of a folder with rules is one, by its name.
func IsRuleFile(name string) bool {
	return IsMarkdown(name) || strings.EqualFold(path.Ext(name), ".mdc")
}

// isRule reports whether a path of the repository is that of a rule for assistants.
func (p *Project) isRule(relPath string) bool {
	return IsRuleFile(relPath) && slices.ContainsFunc(p.ruleFolders, func(folder string) bool { return contains(folder, relPath) })
}

// IsNestedInstruction reports whether a file is the AGENTS.md or CLAUDE.md of a folder below the root. Assistants read those at
// the root by themselves.
func IsNestedInstruction(name string) bool {
	return (path.Base(name) == "AGENTS.md" || path.Base(name) == "CLAUDE.md") && path.Dir(name) != "."
}
