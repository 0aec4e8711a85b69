package project

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ruleFolders are folders with rules that people write for their assistants: Claude Code, Cursor, Copilot, Kiro, Cline,
// Windsurf, Qwen Code, and the assistants that share .agents. The names come from the assistants' documentation.
var ruleFolders = []string{
	".claude/rules", ".cursor/rules", ".github/instructions", ".kiro/steering", ".clinerules", ".windsurf/rules", ".qwen/rules",
	".agents/rules",
}

// RuleFolders returns the repository's folders of rules for assistants, relative to Root, or nil if the configuration
// switches rules off. The files in these folders are documents of the project. The server never writes there.
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

// IsRuleFile reports whether a file in a folder of rules is a rule, by the extension of its name.
func IsRuleFile(name string) bool {
	return IsMarkdown(name) || strings.EqualFold(path.Ext(name), ".mdc")
}

func (p *Project) isRule(relPath string) bool {
	return IsRuleFile(relPath) && slices.ContainsFunc(p.ruleFolders, func(folder string) bool { return contains(folder, relPath) })
}

// IsNestedInstruction reports whether a file is an AGENTS.md or CLAUDE.md in a folder below the root. The files at the
// root do not count, because assistants read them by themselves.
func IsNestedInstruction(name string) bool {
	return (path.Base(name) == "AGENTS.md" || path.Base(name) == "CLAUDE.md") && path.Dir(name) != "."
}
