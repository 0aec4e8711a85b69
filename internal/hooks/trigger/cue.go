package trigger

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/rag/said"
)

// A cue is a text under which the index lists documents, such as "run psql" or "at pool.go". An act has cues too. A
// trigger that matches an act has a cue in common with the act. A common cue alone is no match.
const (
	runCue = "run "
	atCue  = "at "
	// FailCue is the cue of every trigger for failures, whatever the output.
	FailCue = "fails"
	// maxCue bounds a cue, in bytes.
	maxCue = 100
)

// Cues returns the cues of a document, sorted. cited are the files and folders that the document cites.
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

// longestPart returns the longest element of a path pattern that has no wildcard, or "". A matching path has that
// element too. Only elements before the first brace or bracket count, because braces and brackets may contain a slash.
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

// Cues returns the cues of a line: one for each program in it, and one for triggers whose program is a pattern.
func (l Line) Cues() []string {
	cues := []string{cue(runCue, "")}
	for _, c := range l.calls {
		for _, program := range c.programs() {
			cues = append(cues, cue(runCue, program))
		}
	}
	return cues
}

// FileCues returns the cues of an edit: one for each element of the path, and one for patterns with only wildcards.
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
