package trigger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/compound-docs/compound-docs/rag/said"
)

// Command is a line of shell that a project runs itself, such as in CI. Line is its number in File, from 1.
type Command struct {
	Text, File string
	Line       int
	// Shell is the parsed Text.
	Shell Line
}

// A text of a failed command that is shorter, or one of these words, is in the output of most failures.
const shortestFailure = 3

var commonFailures = strings.Fields("error errors failed failure fail fatal exception warning traceback panic exit code")

// Doubts says why triggers of a document probably do not do what their author meant. A doubtful trigger cannot match,
// matches nearly everything, has several commands in one text, or fires on a command that the project runs itself.
func Doubts(triggers []said.Trigger, commands []Command) []string {
	var doubts []string
	for _, t := range triggers {
		add := func(format string, values ...any) {
			doubts = append(doubts, "trigger "+t.String()+" "+fmt.Sprintf(format, values...))
		}
		for _, line := range t.Run {
			switch {
			case len(strings.Fields(line)) == 1 && !t.Bare && len(t.With)+len(t.Without) == 0:
				add("is a program alone, and fires on each call of %s: add words, with or without", line)
			case strings.Contains(line, "&&") || strings.Contains(line, " | ") || strings.Contains(line, "; "):
				add("has several commands, and each command is compared alone: keep one of %s, and write the other with `with`", line)
			case !matchesItself(line, t):
				add("cannot match: `without` or a flag such as --help excludes %s", line)
			}
		}
		for _, pattern := range t.Edit {
			if !doublestar.ValidatePattern(pattern) || strings.HasPrefix(pattern, "..") {
				add("cannot match: %s is no pattern of a path from the repository's root", pattern)
			}
		}
		if problem := boundless(t); problem != "" {
			add("%s", problem)
		}
		var own Set
		own.Add(0, []said.Trigger{t})
		for _, c := range commands {
			if len(t.Run) > 0 && len(own.Run(c.Shell)) > 0 {
				add("fires on a command of the project itself, %s:%d", c.File, c.Line)
				break
			}
		}
	}
	return doubts
}

// boundless says why a trigger without a condition fires on nearly every edit or failure, or returns "".
func boundless(t said.Trigger) string {
	if t.New != nil || len(t.Writes)+len(t.Removes)+len(t.With)+len(t.Without) > 0 {
		return ""
	}
	if slices.Contains(t.Edit, "**") && t.Scope == "" {
		return "fires on each edit: name a folder, a kind of file, or what the edit writes"
	}
	for _, text := range t.Fails {
		if len(text) < shortestFailure || slices.Contains(commonFailures, strings.ToLower(text)) {
			return "fires on most failures: quote more of the message than " + text
		}
	}
	return ""
}

// matchesItself reports whether a line of a trigger, read as a command, matches the trigger. If a word has
// alternatives, such as psql|mysql, the command has the first alternative.
func matchesItself(line string, t said.Trigger) bool {
	var words []string
	for word := range strings.FieldsSeq(line) {
		first, _, _ := strings.Cut(word, "|")
		first = strings.ReplaceAll(strings.ReplaceAll(first, `\*`, literalStar), "*", "x")
		words = append(words, strings.ReplaceAll(first, literalStar, `'*'`))
	}
	text := strings.Join(words, " ")
	t.Run, t.With = []string{line}, nil
	var s Set
	s.Add(0, []said.Trigger{t})
	return len(s.Run(Read(text, ""))) > 0
}

// DeadPatterns returns the patterns for edits that match none of the project's files. It skips patterns with !, and
// triggers for new files.
func DeadPatterns(t said.Trigger, files []string) []string {
	var dead []string
	for _, pattern := range t.Edit {
		if strings.HasPrefix(pattern, "!") || t.New != nil && *t.New {
			continue
		}
		isLike := func(file string) bool { return AreLike([]string{pattern}, file) }
		if !slices.ContainsFunc(files, isLike) {
			dead = append(dead, pattern)
		}
	}
	return dead
}
