// Package trigger compares acts of an assistant with the triggers that documents declare: a command that is about to run,
// an edit, and the output of a command that has failed. It is pure. A trigger matches or it does not: there are no scores.
//
// shell.go reads a line as a shell does, wrappers.go finds the programs that other programs run, files.go the files that a
// line writes, word.go compares words, paths.go paths, and text.go texts. docs/triggers.md describes the format.
package trigger

import (
	"cmp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/said"
)

// Set has the triggers of documents. The zero value has none. It is read-only once they are added.
type Set struct {
	// runs are by their program, and under "" those whose program is a pattern.
	runs   map[string][]run
	edits  []edit
	fails  []fail
	scopes []edit
}

// Match says that a trigger matches.
type Match struct {
	// Document is the number with which the trigger was added.
	Document int
	// Rule names the trigger among those of its document, as it was written.
	Rule string
	// Text has the words of the trigger, to find the passage about it.
	Text string
	// Say is the sentence to show, "" for one of the document.
	Say string
	// Patterns are those of a scope.
	Patterns []string
	// Literal is how much the trigger says, in characters without wildcards.
	Literal int
}

// run is one line of a trigger for commands.
type run struct {
	declared *declared
	program  pattern
	words    []pattern // in their order
	flags    []pattern
	settings []pattern // assignments before the program
}

// edit is a trigger for files. Patterns with a mark leave files out.
type edit struct {
	declared *declared
	patterns []string
	removes  []string
	writes   []string
	isNew    *bool
}

// fail is a trigger for outputs.
type fail struct {
	declared *declared
	texts    []string
}

// declared is what each form of a trigger has in common.
type declared struct {
	document      int
	rule          string
	say           string
	bare          bool
	with, without []condition
}

// condition is a text of which each word must be there.
type condition []pattern

// Add adds the triggers of a document.
func (s *Set) Add(document int, triggers []said.Trigger) {
	for _, t := range triggers {
		d := &declared{document: document, rule: t.String(), say: t.Say, bare: t.Bare}
		d.with, d.without = conditionsOf(t.With), conditionsOf(t.Without)
		for _, line := range t.Run {
			s.addRun(d, line)
		}
		e := edit{declared: d, patterns: cleaned(t.Edit), writes: folded(t.Writes), removes: folded(t.Removes), isNew: t.New}
		switch {
		case t.Scope != "":
			d.rule = t.Scope
			s.scopes = append(s.scopes, e)
		case len(t.Edit) > 0:
			s.edits = append(s.edits, e)
		case len(t.Fails) > 0:
			s.fails = append(s.fails, fail{d, folded(t.Fails)})
		}
	}
}

// addRun adds one line of a trigger for commands.
func (s *Set) addRun(d *declared, line string) {
	r := run{declared: d}
	for _, w := range wordsOf(line) {
		p := newPattern(w.text)
		switch {
		case len(p.any) == 0:
		case p.isFlag():
			r.flags = append(r.flags, p)
		case len(r.program.any) == 0 && isAssignment(w.text):
			r.settings = append(r.settings, p)
		case len(r.program.any) == 0:
			r.program = p
		default:
			r.words = append(r.words, p)
		}
	}
	if len(r.program.any) == 0 {
		return
	}
	if s.runs == nil {
		s.runs = map[string][]run{}
	}
	for i, name := range r.program.any {
		name = programName(name)
		r.program.any[i] = name
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

// Run returns the triggers that match a line, the ones that say most first.
func (s *Set) Run(line Line) []Match {
	var matches []Match
	whole := line.words()
	for _, c := range line.calls {
		for _, r := range s.named(c) {
			if r.matches(c, whole) {
				matches = add(matches, r.match())
			}
		}
	}
	return sorted(matches)
}

// named returns the triggers that may be for the program of a call: with or without a version in its name, such as python3. A
// statement of SQL may go to any client of a database.
func (s *Set) named(c call) []run {
	programs := []string{c.program}
	if unversioned := strings.TrimRight(c.program, "0123456789."); unversioned != c.program {
		programs = append(programs, unversioned)
	}
	if c.sql {
		programs = sqlClients
	}
	all := slices.Clone(s.runs[""])
	for _, program := range programs {
		all = append(all, s.runs[program]...)
	}
	return all
}

var sqlClients = strings.Fields("psql mysql mariadb sqlite3 sqlcmd clickhouse-client duckdb cockroach snowsql bq usql pgcli")

// words returns all words of a line, without flags, which belong to their commands, and the folders in which it runs.
func (l Line) words() []word {
	var all []word
	for _, c := range l.calls {
		for _, w := range slices.Concat([]word{newWord(c.program)}, c.outer, c.own, c.brought) {
			if !w.isFlag() || strings.Contains(w.text, "=") {
				all = append(all, w)
			}
		}
		if c.folder != "" {
			all = append(all, newWord(c.folder))
		}
	}
	return all
}

// trials are flags with which a program only says what it would do.
var trials = []string{"--help", "--version", "--dry-run", "--check", "--whatif"}

// showing are programs that show the words that they are given.
var showing = strings.Fields("echo printf grep rg ag ack man which type help")

func (r run) matches(c call, whole []word) bool {
	isAnyProgram := strings.Contains(strings.Join(r.program.any, ""), "*")
	if isAnyProgram && (slices.Contains(showing, c.program) || !c.sql && !r.program.isLike(newWord(c.program))) {
		return false
	}
	if r.isTrial(c) {
		return false
	}
	given := slices.Concat(c.own, c.brought)
	if r.declared.bare && !r.isAll(c.own) {
		return false
	}
	if !areInOrder(r.words, given) || !areAll(r.flags, given) {
		return false
	}
	for _, setting := range r.settings {
		if !slices.ContainsFunc(c.outer, setting.isLike) {
			return false
		}
	}
	return r.declared.holds(slices.Concat(c.outer, given), whole)
}

// isAll reports whether the words of a call, without flags, are those of the trigger and no others.
func (r run) isAll(own []word) bool {
	plain := slices.DeleteFunc(slices.Clone(own), func(w word) bool { return w.isFlag() || w.isArgument })
	isSame := func(w word, p pattern) bool { return p.isLike(word{text: w.text, parts: w.parts[:1]}) }
	return slices.EqualFunc(plain, r.words, isSame)
}

// isTrial reports whether the call only says what it would do, and the trigger does not ask for that.
func (r run) isTrial(c call) bool {
	if len(c.own) > 0 && c.own[0].parts[0] == "help" {
		return true
	}
	for _, trial := range trials {
		isNamed := slices.ContainsFunc(r.flags, func(p pattern) bool { return p.isLike(newWord(trial)) })
		if !isNamed && newPattern(trial).isAmong(c.own) {
			return true
		}
	}
	return false
}

func areInOrder(patterns []pattern, words []word) bool {
	for _, p := range patterns {
		at := slices.IndexFunc(words, p.isLike)
		if at < 0 {
			return false
		}
		words = words[at+1:]
	}
	return true
}

func areAll(flags []pattern, words []word) bool {
	return !slices.ContainsFunc(flags, func(p pattern) bool { return !p.isAmong(words) })
}

// holds reports whether the conditions of a trigger hold: for flags among the words of the call and of its wrappers, for other
// words in the whole line and its folders.
func (d *declared) holds(own, whole []word) bool {
	isThere := func(c condition) bool {
		return !slices.ContainsFunc(c, func(p pattern) bool {
			if p.isFlag() {
				return !p.isAmong(own)
			}
			return !slices.ContainsFunc(whole, p.isLike)
		})
	}
	return (len(d.with) == 0 || slices.ContainsFunc(d.with, isThere)) && !slices.ContainsFunc(d.without, isThere)
}

// holdsAfter reports whether the conditions of a trigger hold among the words of a command and of its output.
func (d *declared) holdsAfter(output string, command Line) bool {
	if len(d.with)+len(d.without) == 0 {
		return true
	}
	words := slices.Concat(command.words(), wordsOf(output))
	return d.holds(words, words)
}

func (r run) match() Match {
	m := Match{Document: r.declared.document, Rule: r.declared.rule, Say: r.declared.say}
	for _, p := range slices.Concat([]pattern{r.program}, r.settings, r.words, r.flags) {
		m.Text += " " + strings.ReplaceAll(p.any[0], "*", " ")
		m.Literal += p.literal()
	}
	m.Text = strings.TrimSpace(m.Text)
	return m
}

// Fails returns the triggers that match the output of a command that has failed.
func (s *Set) Fails(output string, command Line) []Match {
	var matches []Match
	text := newText(output, len(s.fails))
	for _, f := range s.fails {
		at := slices.IndexFunc(f.texts, func(pattern string) bool { return text.has(pattern, "") })
		if at >= 0 && f.declared.holdsAfter(output, command) {
			matches = add(matches, f.declared.match(f.texts[at]))
		}
	}
	return sorted(matches)
}

// match returns a match of a text of the trigger.
func (d *declared) match(text string) Match {
	return Match{
		Document: d.document, Rule: d.rule, Say: d.say,
		Text: strings.TrimSpace(strings.ReplaceAll(text, "*", " ")), Literal: len(strings.ReplaceAll(text, "*", "")),
	}
}

// add adds a match. Of several lines of one trigger the one that says most stays.
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

func sorted(matches []Match) []Match {
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Literal, a.Literal) })
	return matches
}
