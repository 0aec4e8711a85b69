package trigger

import (
	"slices"
	"strings"
)

// Run returns the triggers that match a line.
func (s *Set) Run(line Line) []Match {
	var matches []Match
	whole := line.words()
	for _, c := range line.calls {
		for _, program := range append([]string{""}, c.programs()...) {
			for _, r := range s.runs[program] {
				if r.matches(c, whole) {
					matches = add(matches, r.match)
				}
			}
		}
	}
	return matches
}

// programs returns the name of a call's program, with and without a version, such as python3 and python. For an SQL
// statement it returns the names of all database clients.
func (c call) programs() []string {
	if c.sql {
		return sqlClients
	}
	return slices.Compact([]string{c.program, strings.TrimRight(c.program, "0123456789.")})
}

var sqlClients = strings.Fields("psql mysql mariadb sqlite3 sqlcmd clickhouse-client duckdb cockroach snowsql bq usql pgcli")

// words returns the words of all calls in a line, and the folders in which the calls run. A flag without a value is left
// out, because it says something about its own call only. A flag such as --file=x stays for its value.
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

// trials are flags that make a program print help, its version, or what it would do, and do nothing else.
var trials = []string{"--help", "--version", "--dry-run", "--check", "--whatif"}

// showing are programs that only print words or search for words. A * in a trigger's program does not match them.
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
	if r.declared.bare { // the call must have exactly the words of the trigger; flags do not count
		plain := slices.DeleteFunc(slices.Clone(c.own), func(w word) bool { return w.isFlag() || w.isArgument })
		isSame := func(w word, p pattern) bool { return p.isLike(word{text: w.text, parts: w.parts[:1]}) }
		if !slices.EqualFunc(plain, r.words, isSame) {
			return false
		}
	}
	for _, p := range r.flags {
		if !p.isAmong(given) {
			return false
		}
	}
	for _, setting := range r.settings {
		if !slices.ContainsFunc(c.outer, setting.isLike) {
			return false
		}
	}
	rest := given
	for _, p := range r.words {
		at := slices.IndexFunc(rest, p.isLike)
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	own := slices.Concat(c.outer, given)
	return r.declared.holds(func(c condition) bool { return c.isAmong(own, whole) })
}

// isTrial reports whether the call only prints help, a version or a dry run. Flags that the trigger names do not count.
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

// isAmong reports whether an act has all words of a condition. own has the words of one call and of its wrappers. whole
// has the words of the line and its folders. A flag must be in own. For any other word, whole is enough.
func (c condition) isAmong(own, whole []word) bool {
	for _, p := range c {
		if p.isFlag() && !p.isAmong(own) || !p.isFlag() && !slices.ContainsFunc(whole, p.isLike) {
			return false
		}
	}
	return true
}
