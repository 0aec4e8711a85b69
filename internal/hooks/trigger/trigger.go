// Package trigger compares acts of an assistant with the triggers that documents declare. An act is a command before it
// runs, an edit, or the output of a failed command. A trigger matches or it does not: there are no scores. The package
// has no side effects. docs/triggers.md describes the format.
//
// run.go compares commands, word.go words, paths.go paths, and text.go texts. shell.go parses lines of shell.
// wrappers.go knows programs that run other programs, such as sudo. files.go finds the files that a line writes. cue.go
// has the keys of triggers in the index.
package trigger

import (
	"slices"
	"strings"
	"sync"

	"github.com/compound-docs/compound-docs/rag/said"
)

// Set has the triggers of documents. The zero value is empty. After the last Add it is safe for concurrent use.
type Set struct {
	// runs maps a program to its triggers. Triggers whose program is a pattern are under "".
	runs   map[string][]run
	edits  []*declared
	fails  []*declared
	scopes []*declared
}

// Match says that a trigger matches.
type Match struct {
	// Document is the number that [Set.Add] got for the document.
	Document int
	// Rule is the trigger in one line. It tells the triggers of a document apart.
	Rule string
	// Text has the words of the trigger. They help to find the passage about the act.
	Text string
	// Say is the sentence to show, or "" for a sentence of the document.
	Say string
	// Patterns are the patterns of a scope. They are nil for other triggers.
	Patterns []string
	// Literal says how precise the trigger is: its length without wildcards.
	Literal int
}

// run is one pattern for commands, such as "terraform apply -target". A trigger lists such patterns in its field run.
type run struct {
	declared *declared
	program  pattern
	words    []pattern // in the order in which a command must have them
	flags    []pattern
	settings []pattern // assignments before the program
	match    Match     // the same for each command that matches
}

// declared is a trigger as its document declares it.
type declared struct {
	document      int
	rule          string
	say           string
	bare          bool
	with, without []condition
	patterns      []string // of files; a pattern that begins with ! leaves files out
	removes       []string
	writes        []string
	isNew         *bool
	fails         []string // texts in an output
}

// condition is one text in the field "with" or "without". An act meets the condition if it has all words of the text.
type condition []pattern

// Add adds the triggers of a document.
func (s *Set) Add(document int, triggers []said.Trigger) {
	for _, t := range triggers {
		d := &declared{
			document: document, rule: t.String(), say: t.Say, bare: t.Bare, with: conditionsOf(t.With), without: conditionsOf(t.Without),
			patterns: cleaned(t.Edit), writes: folded(t.Writes), removes: folded(t.Removes), isNew: t.New, fails: folded(t.Fails),
		}
		for _, line := range t.Run {
			s.addRun(d, line)
		}
		switch {
		case t.Scope != "":
			d.rule = t.Scope
			s.scopes = append(s.scopes, d)
		case len(t.Edit) > 0:
			s.edits = append(s.edits, d)
		case len(t.Fails) > 0:
			s.fails = append(s.fails, d)
		}
	}
}

// addRun adds one text of the field run. It ignores a text without a program.
func (s *Set) addRun(d *declared, line string) {
	r := run{declared: d}
	for _, w := range wordsOf(line) {
		p := newPattern(w.text)
		switch {
		case len(p.any) == 0:
		case p.isFlag():
			r.flags = append(r.flags, p)
		case len(r.program.any) > 0:
			r.words = append(r.words, p)
		case isAssignment(w.text):
			r.settings = append(r.settings, p)
		default:
			r.program = p
		}
	}
	if len(r.program.any) == 0 {
		return
	}
	for i, name := range r.program.any {
		r.program.any[i] = programName(name)
	}
	r.match = d.match("")
	for _, p := range slices.Concat([]pattern{r.program}, r.settings, r.words, r.flags) {
		r.match.Text = strings.TrimSpace(r.match.Text + " " + strings.ReplaceAll(p.any[0], "*", " "))
		r.match.Literal += p.literal()
	}
	if s.runs == nil {
		s.runs = map[string][]run{}
	}
	for _, name := range r.program.any {
		if strings.Contains(name, "*") {
			name = ""
		}
		s.runs[name] = append(s.runs[name], r)
	}
}

func conditionsOf(texts []string) []condition {
	var all []condition
	for _, text := range texts {
		var c condition
		for _, w := range wordsOf(text) {
			c = append(c, newPattern(w.text))
		}
		all = append(all, c)
	}
	return all
}

// Fails returns the triggers that match the output of a command that has failed.
func (s *Set) Fails(output string, command Line) []Match {
	var matches []Match
	text := newText(output, len(s.fails))
	words := sync.OnceValue(func() []word { return slices.Concat(command.words(), wordsOf(output)) })
	for _, d := range s.fails {
		at := slices.IndexFunc(d.fails, func(pattern string) bool { return text.has(pattern, "") })
		if at >= 0 && d.holds(func(c condition) bool { return c.isAmong(words(), words()) }) {
			matches = add(matches, d.match(d.fails[at]))
		}
	}
	return matches
}

// holds reports whether an act meets no condition of d.without, and one of d.with unless d.with is empty. isThere
// checks one condition.
func (d *declared) holds(isThere func(condition) bool) bool {
	return (len(d.with) == 0 || slices.ContainsFunc(d.with, isThere)) && !slices.ContainsFunc(d.without, isThere)
}

// match returns a match. text is the part of the trigger that has matched.
func (d *declared) match(text string) Match {
	return Match{
		Document: d.document, Rule: d.rule, Say: d.say,
		Text: strings.TrimSpace(strings.ReplaceAll(text, "*", " ")), Literal: len(strings.ReplaceAll(text, "*", "")),
	}
}

// add adds a match to a list. Of several matches of one trigger it keeps the most precise one.
func add(matches []Match, m Match) []Match {
	at := slices.IndexFunc(matches, func(other Match) bool { return other.Document == m.Document && other.Rule == m.Rule })
	if at < 0 {
		return append(matches, m)
	}
	if m.Literal > matches[at].Literal {
		matches[at] = m
	}
	return matches
}
