package quoted

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Book is what the documents of a project quote and which files they cite, read once to be compared often.
type Book struct {
	documents []document
	// names counts the documents that quote a name.
	names    map[string]int
	messages messages
	// Names are the names of code that the documents have, added in the same order.
	Names Names
}

// Code is In of the book's names.
func (b *Book) Code(file, text string) []Match {
	if b == nil {
		return nil
	}
	return b.Names.In(file, text)
}

// few documents may quote a name that says something.
const few = 2

// document has the quotes of a document, the longest first.
type document []*quote

type quote struct {
	markdown.Quote

	// command is the quote as a command line, and flag says that it is a flag alone.
	command command
	flag    bool
	// folded is the quote in lower case.
	folded string
	// isName says that the quote is the name of a host, resource or folder.
	isName bool
	// key is the longest word of the quote: a text without it does not have the quote.
	key string
	// titled says that the title has the quote, and about that it has a word of it. isFirst says that no quote comes
	// before it.
	//
	// isAside says that the document only mentions the quote. It warns of other code, or shows another command first,
	// or has a message right behind the command, which showed it.
	titled, about, isAside, isFirst bool
}

// Add adds a document with its quotes in the form of the index.
func (b *Book) Add(title string, texts []string) {
	titleText, stems := folded(title), terms.Distinct(terms.English, title)
	var quotes []*quote
	var subject *quote
	var place string
	names, printed := map[string]bool{}, append([]string{title}, markdown.InQuotation(title)...)
	for _, text := range texts {
		q := newQuote(text)
		if len(q.command.flags) == 0 {
			printed = append(printed, q.Text)
		}
		if q.Advice == markdown.Said {
			continue
		}
		q.isFirst = len(quotes) == 0
		if q.isCall() && !q.Advice.InFavour() {
			subject = cmp.Or(subject, q)
			q.isAside = q != subject
		}
		isMessage := q.command.size() == 0 && len(strings.Fields(q.Text)) >= leastRun && !strings.Contains(q.Text, "(")
		if last := len(quotes) - 1; last >= 0 && isMessage && quotes[last].Advice == markdown.Failed {
			quotes[last].isAside = true
		}
		q.titled = strings.Contains(titleText, q.folded)
		words := terms.Distinct(terms.English, strings.Join(slices.Concat(q.command.words, q.command.flags), " "))
		q.about = q.titled || slices.ContainsFunc(words, func(stem string) bool { return slices.Contains(stems, stem) })
		if q.flag {
			stems = append(stems, q.command.flags...)
		}
		place = cmp.Or(place, q.Place)
		quotes = append(quotes, q)
		names[q.folded] = true
	}
	b.messages.add(len(b.documents), printed)
	compare(quotes, subject, place, stems)
	slices.SortStableFunc(quotes, func(a, b *quote) int {
		return cmp.Or(cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(b.Advice, a.Advice)) // warned before mentioned
	})
	if b.names == nil {
		b.names = map[string]int{}
	}
	for name := range names {
		b.names[name]++
	}
	b.documents = append(b.documents, quotes)
}

// compare says of each quote of a document what follows from the others: which is the first call, a place, and what the
// title and flags alone name.
func compare(quotes []*quote, subject *quote, place string, named []string) {
	warned := slices.DeleteFunc(slices.Clone(quotes), func(q *quote) bool { return q.Advice != markdown.Warned })
	ofCode := slices.ContainsFunc(warned, func(q *quote) bool { return !q.isCall() })
	isElsewhere := func(q *quote) bool { return q.Place != "" && q.Place != place }
	if slices.ContainsFunc(quotes, isElsewhere) { // the document speaks of several places
		place = ""
	}
	for _, q := range quotes {
		if q.Advice == markdown.Failed {
			q.Advice = markdown.Mentioned
		}
		q.isAside = q.Advice == markdown.Mentioned && (q.isAside || len(warned) > 0 && (q != subject || !q.about || ofCode))
		if q.Advice != markdown.Warned {
			q.Place = cmp.Or(place, q.Place)
		}
		if !q.Advice.InFavour() {
			q.command.generalise(named)
		}
	}
}

func newQuote(text string) *quote {
	q := &quote{Quote: markdown.ParseQuote(text)}
	q.folded = folded(q.Text)
	if commands := commandsIn(q.Text); len(commands) == 1 && commandForm().MatchString(q.Text) &&
		!sentence().MatchString(q.Text) {
		q.command = commands[0]
	}
	q.flag = strings.HasPrefix(q.Text, "-") && len(q.command.flags) > 0
	words := append(slices.Sorted(maps.Keys(wordsOf(q.folded))), "")
	q.key = slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	q.isName = isName(q.Text)
	return q
}

// isCall reports whether the quote is a program with a flag or a word at least.
func (q *quote) isCall() bool { return q.command.size() > 1 && len(q.command.words) > 0 }

// Match says how well the quotes of a document match.
type Match struct {
	// Document counts from 0, in the order of [Book.Add]. Weight is more than 0.
	Document int
	Weight   float64
	// Text is the quote that matches best. Name says that a name in it has matched, and no command.
	Text string
	Name bool
}

// match returns the documents with a match, best first.
func (b *Book) match(weigh func(d document) Match) []Match {
	if b == nil {
		return nil
	}
	var matches []Match
	for i, d := range b.documents {
		if m := weigh(d); m.Weight > 0 {
			m.Document = i
			matches = append(matches, m)
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	return matches
}

// Command returns the documents that speak of a command line, best first: documents that quote a call of it, then
// documents that quote a name in it. Everyday calls need a quote.
func (b *Book) Command(line string) []Match {
	calls := commandsIn(line)
	others := slices.DeleteFunc(slices.Clone(calls), func(c command) bool { return c.isEveryday() || c.shows })
	return b.match(func(d document) Match {
		var best Match
		for _, call := range calls {
			size := 0
			for _, q := range d {
				if q.command.size() > size && (q.isOf(call) || q.isBroken(call) || d.refuses(q, call)) {
					size, best = q.command.size(), heavier(best, Match{Weight: float64(q.command.size()), Text: q.Text})
				}
			}
			if advised(d, call, size) {
				return Match{}
			}
		}
		if best.Weight == 0 && len(others) > 0 {
			best = b.matchNames(d, others)
		}
		return best
	})
}

// heavier returns the match of more weight, the first of two that are equal.
func heavier(a, b Match) Match {
	if b.Weight > a.Weight {
		return b
	}
	return a
}

// advised reports whether a document advises a call, by a command or by a flag beside one that it warns of. A command that
// it only mentions is advised too if it adds to one that it warns of. The command must have at least
// the given size: that of the longest one of the call that the document warns of.
func advised(quotes []*quote, call command, size int) bool {
	return slices.ContainsFunc(quotes, func(q *quote) bool {
		isOther := func(warned *quote) bool { return warned.isOf(call) && !warned.command.has(q.command, 0) }
		isMore := func(warned *quote) bool { return isOther(warned) && q.command.contains(warned.command) }
		return q.Advice.InFavour() && q.command.size() >= max(size, 2) && call.contains(q.command) ||
			q.flag && q.Advice.InFavour() && call.has(q.command, 0) && slices.ContainsFunc(quotes, isOther) ||
			q.isAside && q.command.size() > size && call.contains(q.command) && slices.ContainsFunc(quotes, isMore)
	})
}

// isOf reports whether the call is the command of the quote, a program with a flag or word at least. The document
// must warn of it or be about it, unless the command has two words. An everyday program needs a third, or the title.
func (q *quote) isOf(call command) bool {
	size := q.command.size()
	if q.flag || size < 2 || q.Advice.InFavour() || !call.contains(q.command) ||
		call.isTrial && !q.command.isTrial || q.Advice == markdown.Mentioned && q.command.shows || q.isAside && !q.titled {
		return false
	}
	isEveryday := q.command.isEveryday()
	return (q.titled || size > 2 || !isEveryday) &&
		(q.about || q.Advice == markdown.Warned || !isEveryday && (len(q.command.words) > 1 || strings.Contains(q.Text, " --")))
}

// refuses reports whether the call has a flag that the document warns of, in a program that it quotes.
func (d document) refuses(q *quote, call command) bool {
	return q.flag && q.Advice == markdown.Warned && call.has(q.command, 0) && slices.ContainsFunc(d, func(other *quote) bool {
		return other.isCall() && call.contains(command{words: other.command.words[:1]})
	})
}

// isBroken reports whether the call lacks a flag that its command must always have, as the quote says.
func (q *quote) isBroken(call command) bool {
	isDemand := q.Advice == markdown.Demanded && q.isCall() && len(q.command.flags) > 0 && !q.flag
	return isDemand && call.contains(command{words: q.command.words}) && !call.contains(q.command)
}

// matchNames finds names of hosts and resources in calls, and paths of files that a call runs or changes.
func (b *Book) matchNames(quotes []*quote, calls []command) Match {
	isOfCommand := slices.ContainsFunc(quotes, func(q *quote) bool {
		return q.isCall() && !q.command.isEveryday() && !q.Advice.InFavour()
	})
	for _, q := range quotes {
		isNamed := func(call command) bool {
			isRun := strings.Contains(call.words[0], ".") && strings.HasSuffix(q.folded, "/"+call.words[0])
			if strings.Contains(q.folded, "/") {
				return isRun || changing().MatchString(call.words[0]) &&
					slices.ContainsFunc(call.words, func(word string) bool { return strings.TrimPrefix(word, "./") == q.folded })
			}
			return has(strings.Join(call.words, " "), q.folded)
		}
		isAside := q.isAside || isOfCommand && !q.titled && !strings.Contains(q.Text, "/")
		if q.isName && !isAside && !q.Advice.InFavour() && b.names[q.folded] <= few && slices.ContainsFunc(calls, isNamed) {
			return Match{Weight: .5, Text: q.Text, Name: true}
		}
	}
	return Match{}
}

var (
	// changing are programs that run or change the files in their arguments.
	changing = lazyregexp.New(`^(?:rm|mv|chmod|chown|truncate|shred|tee|sed|ba?sh|python|node|ruby|perl|php)$`)
	// commandForm matches what may be a command, unlike code and fields, and sentence what is a message.
	commandForm = lazyregexp.New(`^-|^(?:[A-Z_]+=\S+ )*[\w./~+-]+(?: (?:[^:]|:\S)*:?)?$`)
	sentence    = lazyregexp.New(`^[A-Z][a-z]+ | (?:is|are|was|not|could|the|of|to|error) `)
	nameForm    = lazyregexp.New(`^[~/\w.:@][\w/.:@-]{5,}$`)
	oneFolder   = lazyregexp.New(`^[\w.]+/$`)
	underscored = lazyregexp.New(`^[a-z]\w*_\w*[a-z]$`)
	bareFile    = lazyregexp.New(`^[\w-]+\.[a-z]\w{0,6}$`)
	codeFile    = lazyregexp.New(`\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|cs|php|sh|sql|ya?ml|` +
		`json|toml|xml|ini|cfg|conf|env|tf|lock|md|txt)$`)
	hump = lazyregexp.New(`^[a-z]+[A-Z]\w+$`)
)

// isName reports whether a word is the name of a host, resource or folder, and not a plain word.
func isName(text string) bool {
	hasMark := strings.ContainsAny(text, "-/:.0123456789") || hump().MatchString(text) || underscored().MatchString(text)
	return hasMark && nameForm().MatchString(text) && !oneFolder().MatchString(text) && !bareFile().MatchString(text) &&
		text != "node_modules"
}

// folded returns a text in lower case, with one space between its parts.
func folded(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// wordsOf returns the words of a folded text, without digits.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		words[word] = true
	}
	return words
}
