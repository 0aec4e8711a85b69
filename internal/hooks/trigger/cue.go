package trigger

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/rag/said"
)

// A cue is a text by which an index finds the documents for an act, such as "run psql" or "at pool.go". If a document's
// trigger matches an act, both have a cue in common. A common cue does not mean that the trigger matches.
const (
	runCue = "run "
	atCue  = "at "
	// FailCue is the only cue of a failure.
	FailCue = "fails"
	// maxCue bounds a cue, in bytes.
	maxCue = 100
)

// Cues returns the cues of a document with these triggers and these cited files and folders, sorted.
func Cues(triggers []said.Trigger, cited []string) []string {
	var s Set
	s.Add(0, triggers)
	var cues []string
	for program := range s.runs {
		cues = append(cues, cue(runCue, program))
	}
	for _, d := range slices.Concat(s.edits, s.scopes) {
		for _, pattern := range d.patterns {
			if !strings.HasPrefix(pattern, "!") {
				cues = append(cues, cue(atCue, longestPart(pattern)))
			}
		}
	}
	if len(s.fails) > 0 {
		cues = append(cues, FailCue)
	}
	for _, file := range cited {
		cues = append(cues, cue(atCue, path.Base(file)))
	}
	slices.Sort(cues)
	return slices.Compact(cues)
}

// longestPart returns the longest element of a pattern that a matching path must have too, or "". It reads only the
// elements before braces or brackets, because these may contain a slash.
func longestPart(pattern string) string {
	if at := strings.IndexAny(pattern, "{["); at >= 0 {
		pattern = pattern[:strings.LastIndex(pattern[:at], "/")+1]
	}
	longest := ""
	for part := range strings.SplitSeq(pattern, "/") {
		if !strings.ContainsAny(part, "*?") && len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// Cues returns the cues of a line: one for each program that it calls.
func (l Line) Cues() []string {
	cues := []string{cue(runCue, "")}
	for _, c := range l.calls {
		for _, program := range c.programs() {
			cues = append(cues, cue(runCue, program))
		}
	}
	return cues
}

// FileCues returns the cues of an edit of a file: one for each element of its path.
func FileCues(file string) []string {
	cues := []string{cue(atCue, "")}
	for part := range strings.SplitSeq(file, "/") {
		cues = append(cues, cue(atCue, part))
	}
	return cues
}

func cue(kind, text string) string {
	text = kind + norm.NFC.String(text)
	return strings.ToValidUTF8(text[:min(len(text), maxCue)], "")
}
