package project

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// maxIgnoreBytes bounds a .gitignore, because every file in its folder is compared with every rule.
const maxIgnoreBytes = 64 << 10

// gitignore has git's ignore rules for a work tree: the .gitignore of each folder, and info/exclude. It reads each of
// these files once, when it first needs the rules. Unlike git, it applies the rules to tracked files too.
type gitignore struct {
	top    string // folder of the work tree
	common string // git's folder, which has the file info/exclude
	// inForce maps a folder to the rules for its content. The nearest .gitignore comes first, and info/exclude last.
	inForce map[string][]ignoreRules
}

// ignoreRules are the rules of a .gitignore or of info/exclude. They apply to paths in folder.
type ignoreRules struct {
	folder string // relative to the top; ends with /
	rules  []ignoreRule
}

// ignoreRule is a line of a .gitignore.
type ignoreRule struct {
	pattern             string // in the syntax of doublestar
	isName              bool   // the pattern has no wildcard
	anchored            bool   // the pattern must match the path in the .gitignore's folder, not only the last name
	negated, folderOnly bool
}

// ignores reports whether git's rules ignore a file or a folder. name is relative to the top of the work tree. The last
// matching rule of the nearest .gitignore decides. ignores does not check the folders above name.
func (g *gitignore) ignores(name string, folder bool) bool {
	base := path.Base(name)
	for _, set := range g.rulesIn(path.Dir(name)) {
		for _, rule := range slices.Backward(set.rules) {
			compared := base
			if rule.anchored {
				compared = strings.TrimPrefix(name, set.folder)
			}
			if (folder || !rule.folderOnly) && rule.matches(compared) {
				return !rule.negated
			}
		}
	}
	return false
}

func (g *gitignore) rulesIn(folder string) []ignoreRules {
	sets, ok := g.inForce[folder]
	if ok {
		return sets
	}
	if rules := readIgnore(filepath.Join(g.top, filepath.FromSlash(folder), ".gitignore")); len(rules) > 0 {
		sets = append(sets, ignoreRules{folder + "/", rules})
	}
	if folder != "." {
		sets = append(sets, g.rulesIn(path.Dir(folder))...)
	} else if rules := readIgnore(filepath.Join(g.common, "info", "exclude")); len(rules) > 0 {
		sets = append(sets, ignoreRules{folder + "/", rules})
	}
	g.inForce[folder] = sets
	return sets
}

func readIgnore(file string) []ignoreRule {
	text, _ := contain.ReadFile(file, maxIgnoreBytes) // an unreadable file has no rules, as in git
	return parseIgnore(text)
}

// matches reports whether the rule fits a name. It tries equality first, because that is faster than a pattern.
func (r ignoreRule) matches(name string) bool {
	return r.pattern == name || !r.isName && doublestar.MatchUnvalidated(r.pattern, name)
}

func parseIgnore(text []byte) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(string(bytes.TrimPrefix(text, []byte("\ufeff")))) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		var rule ignoreRule
		line, rule.negated = strings.CutPrefix(line, "!")
		line, rule.folderOnly = strings.CutSuffix(line, "/")
		if line == "" || line[0] == '#' && !rule.negated {
			continue
		}
		rule.anchored = strings.Contains(line, "/")
		rule.pattern = globOf(line)
		rule.isName = !strings.ContainsAny(rule.pattern, `*?[\`)
		if doublestar.ValidatePattern(rule.pattern) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// noBraces escapes braces, which have a meaning for doublestar and none for git.
var noBraces = strings.NewReplacer("{", `\{`, "}", `\}`)

// globOf translates a git pattern into a pattern for doublestar. In git, a/** does not match the folder a itself.
func globOf(pattern string) string {
	glob := noBraces.Replace(strings.TrimPrefix(pattern, "/"))
	if strings.Contains(pattern, "/") && strings.HasSuffix(pattern, "**") {
		glob += "/*"
	}
	return glob
}
