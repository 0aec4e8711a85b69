package quoted

import (
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Text returns the documents that warn of something in a text which is about to be written to a file, best first: the
// text has a quote that they warn of there, or two that they speak of.
func (b *Book) Text(file, text string) []Match {
	text = strings.Join(strings.Fields(text), " ")
	lower := strings.ToLower(text)
	words := wordsOf(lower)
	return b.match(func(d document) Match {
		var best Match
		var found []string // the longest first
		for _, q := range d {
			isPart := func(of string) bool { return has(of, q.folded) }
			if q.Advice.InFavour() || !q.holdsIn(file) || !words[q.key] || b.names[q.folded] > few || !q.isIn(text, lower) ||
				slices.ContainsFunc(found, isPart) {
				continue
			}
			found = append(found, q.folded)
			if weight := q.telling(); best.Text == "" || weight > best.Weight {
				best = Match{Weight: weight, Text: q.Text}
			}
		}
		if best.Weight > 0 {
			best.Weight += float64(len(found) - 1)
		}
		if best.Weight < named {
			return Match{}
		}
		return best
	})
}

// holdsIn reports whether the advice is for a file.
func (q *quote) holdsIn(file string) bool {
	place := strings.Trim(strings.TrimPrefix(q.Place, "./"), "/*")
	return strings.Contains("/"+file+"/", "/"+place+"/") || place == ""
}

// named is the weight of a quote that the document has in its title and does not warn of.
const named = .9

// telling says how much a quote says that is in a text. Words together and statements say more than a name.
func (q *quote) telling() float64 {
	const phrase, clause = 3, 4
	isStatement := strings.ContainsAny(q.Text, "(=:")
	switch words := len(strings.Fields(q.Text)); {
	case !isTelling(q.Text):
		return 0
	case words >= clause, q.Advice == markdown.Warned && (q.Place != "" || isStatement):
		return 1.5
	case words >= phrase, q.Advice == markdown.Warned, (q.isFirst || q.Place != "" && !q.isAside) && isStatement:
		return 1
	case q.titled:
		return named
	default:
		return .5
	}
}

// isTelling reports whether a quote is more than a plain word.
func isTelling(text string) bool {
	return strings.ContainsAny(text, " .:#(=*_!@") || hump().MatchString(text)
}

// isIn reports whether a text has the quote, the parts between ellipses in their order. Case counts in a
// name that is written in both. lower is the text in lower case.
func (q *quote) isIn(text, lower string) bool {
	quote := q.Text
	if !hump().MatchString(strings.TrimSuffix(quote, "()")) {
		text, quote = lower, q.folded
	}
	return inOrder(text, strings.ReplaceAll(quote, "...", "…"))
}

// inOrder reports whether a text has the parts of a quote between ellipses in their order.
func inOrder(text, quote string) bool {
	for part := range strings.FieldsFuncSeq(quote, func(r rune) bool { return r == '…' }) {
		part = strings.TrimSpace(part)
		rest, found := after(text, part)
		switch {
		case part == "":
			continue
		case !found:
			return false
		}
		text = rest
	}
	return true
}

// Output returns the documents that quote a line which a program has printed, the longest quote first. Numbers and
// paths may differ, and more may stand between the parts of a line. A line that several documents quote says nothing.
func (b *Book) Output(output string) []Match {
	output = masked(output)
	words := wordsOf(output)
	return b.match(func(d document) Match {
		for _, q := range d {
			if words[q.key] && b.names[q.printed] <= few && q.printed != "" && inOrder(output, q.printed) {
				return Match{Weight: float64(len(q.printed)), Text: q.Text}
			}
		}
		return Match{}
	})
}

// tellingParts returns a message with ellipses for paths, and for the words of every failure.
func tellingParts(text string) string {
	text = everyFailure().ReplaceAllString(filePlace().ReplaceAllString(text, "…"), "…")
	return strings.TrimRight(masked(strings.NewReplacer(": ", "…", ". ", "…").Replace(text)), ".:;")
}

// isMessage reports whether a text has enough words to be the message of one error.
func isMessage(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(words) >= 3 && len(strings.Join(words, "")) >= 14
}

var (
	// filePlace is a file with perhaps a line and a column. A path is a place, never a message.
	filePlace = lazyregexp.New(`(?:[\w.@-]*[/\\])+[\w.@-]+(?:[:(]\d+(?:[:,]\d+)?\)?)?:?|` +
		`\b[\w-]+\.[a-z]{1,5}[:(]\d+(?:[:,]\d+)?\)?:?`)
	// everyFailure are words that a program prints at failures of all kinds.
	everyFailure = lazyregexp.New(`(?i)! \[(?:remote )?rejected\].*|\b(?:` + strings.Join([]string{
		`(?:error: )?failed to push some refs to?`, `could not read from remote repository`,
		`(?:docker: )?error response from daemon:?`,
		`failed to start`, `job for \S+ failed because.*`, `see "systemctl status.*`,
		`npm (?:error|err!)(?: code \w+| eresolve(?: could not resolve| unable to resolve dependency tree)?|` +
			` could not resolve dependency:| lifecycle.*| errno \S+)?`,
		`missing script:`, `to see a list of scripts, run:`,
		`error: (?:installation|upgrade|uninstall) failed:?`, `error from server(?: \(\w+\))?:?`,
		`planning failed\. terraform encountered.*`,
		`linking with .{1,8} failed: exit (?:status|code): \S+`, `error: could not compile.*`, `collect2: error: ld returned.*`,
		`make(?:\[\d+\])?: \*\*\*.*`, `build failed with an exception`, `execution failed for task.*`,
		`error: no matching distribution found for`,
		`(?:process|command) (?:completed|exited|failed) with exit (?:code|status).*`,
		`an error occurred \(\w+\) when calling the \w+ operation:?`,
		`traceback \(most recent call last\):?`, `caused by:?`, `panic: runtime error:`, `unhandled (?:promise )?rejection`,
		`(?:fatal|error)(?: \d+)?:`,
	}, "|") + `)`) // a match is tried at words, which takes a fifth of the time
)

var number = lazyregexp.New(`\d[\d.,:_-]*`)

// masked folds a text, and puts # for each number.
func masked(text string) string { return number().ReplaceAllString(folded(text), "#") }

// after returns what follows a part of a text that no letter or digit touches.
func after(text, part string) (rest string, found bool) {
	for at := 0; part != ""; at++ {
		i := strings.Index(text[at:], part)
		if i < 0 {
			break
		}
		at += i
		rest = text[at+len(part):]
		if !goesOn(text[:at], part) && !goesOn(part, rest) {
			return rest, true
		}
	}
	return "", false
}

func has(text, part string) bool {
	_, found := after(text, part)
	return found
}

// goesOn reports whether a word goes on from one text to the next.
func goesOn(text, next string) bool {
	isWord := func(c byte) bool { return c == '_' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) }
	return text != "" && next != "" && isWord(text[len(text)-1]) && isWord(next[0])
}
