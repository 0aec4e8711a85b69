package quoted

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Book is what the documents of a project quote and which files they cite, read once to be compared often.
type Book struct {
	documents []document
	// names counts the documents that quote a text, and heads those that show a program with its command as fine.
	names, heads map[string]int
	settle       sync.Once
	messages     messages
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

	// number counts the quotes before it in the document.
	number int
	// command is the quote as a command line, and flag says that it is a flag alone.
	command command
	flag    bool
	// folded is the quote in lower case.
	folded string
	// isWord says that the quote is one word in capitals, such as the command of a database.
	isWord bool
	// isName says that the quote is the name of a host, resource or folder.
	isName bool
	// own is the place of its own sentence.
	own string
	// isUsual says that so many documents quote it that the words around it say nothing.
	isUsual bool
	// titled says that the title has the quote.
	titled bool
	// key is the longest word of the quote: a text without it does not have the quote.
	key string
}

// A document warns of code from log-odds of 0 on, of an everyday program with one word from warnedShort on, and of a
// name from warnedName on, since it has many.
const warnedShort, warnedName = 1, 3

func (q *quote) isWarned() bool { return q.Odds >= 0 }

// Add adds a document with its quotes in the form of the index.
func (b *Book) Add(title string, texts []string) {
	stems := terms.Distinct(terms.English, title)
	var quotes document
	var place string
	names, heads := map[string]bool{}, map[string]bool{}
	printed := append([]string{title}, markdown.InQuotation(title)...)
	for i, text := range texts {
		q := newQuote(text)
		q.number = i
		if len(q.command.flags) == 0 {
			printed = append(printed, q.Text)
		}
		if q.Said {
			continue
		}
		if q.flag {
			stems = append(stems, q.command.flags...)
		}
		q.titled = strings.Contains(folded(title), q.folded)
		if strings.Contains(q.Place, "/") {
			place = cmp.Or(place, q.Place)
		}
		quotes = append(quotes, q)
		names[q.folded] = true
		if q.isCall() && !q.isWarned() {
			heads[q.head()] = true
		}
	}
	b.messages.add(len(b.documents), printed)
	quotes.compare(place, stems)
	slices.SortStableFunc(quotes, func(a, b *quote) int {
		return cmp.Or(cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(b.Odds, a.Odds)) // warned before mentioned
	})
	if b.names == nil {
		b.names, b.heads = map[string]int{}, map[string]int{}
	}
	for name := range names {
		b.names[name]++
	}
	for head := range heads {
		b.heads[head]++
	}
	b.documents = append(b.documents, quotes)
}

// markUsual marks the quotes of usual calls: many documents quote them, or show the program with the command as fine. Words
// around one of them are no warning; only a plain rule is.
func (b *Book) markUsual() {
	for _, d := range b.documents {
		for _, q := range d {
			isUsual := b.names[q.folded] > few || q.isCall() && len(q.command.flags) == 0 && b.heads[q.head()] > few
			q.isUsual = isUsual && q.isWarned() && !q.IsForbidden()
		}
	}
}

// head is the program with its command.
func (q *quote) head() string { return strings.Join(q.command.head().words, " ") }

// compare says of each quote of a document what follows from the others: a place, and what the title and flags alone
// name.
func (d document) compare(place string, named []string) {
	isElsewhere := func(q *quote) bool { return q.Place != "" && q.Place != place }
	if slices.ContainsFunc(d, isElsewhere) { // the document speaks of several places
		place = ""
	}
	for _, q := range d {
		isBoth := func(other *quote) bool { return other.IsFine() && other.folded == q.folded }
		if q.IsForbidden() && !q.isCall() && slices.ContainsFunc(d, isBoth) { // a line of the wrong and of the right code
			q.Odds = -1
		}
		q.Place = cmp.Or(q.Place, place)
		if q.isWarned() && !q.IsForbidden() {
			q.command.generalise(named)
		}
	}
}

func newQuote(text string) *quote {
	q := &quote{Quote: markdown.ParseQuote(text)}
	q.folded = folded(q.Text)
	if !strings.HasPrefix(q.Place, markdown.Outside) {
		q.own = strings.ToLower(strings.Trim(q.Place, "*"))
	}
	if commands := appendCommands(nil, q.Text, false); len(commands) == 1 && commandForm().MatchString(q.Text) &&
		!sentence().MatchString(q.Text) && !route().MatchString(q.Text) {
		q.command = commands[0]
		q.command.isRule = q.IsForbidden()
	}
	q.flag = strings.HasPrefix(q.Text, "-") && len(q.command.flags) > 0
	words := append(slices.Sorted(maps.Keys(wordsOf(q.folded))), "")
	q.key = slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	q.isName, q.isWord = isName(q.Text), capitalWord().MatchString(q.Text)
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

// Command returns the documents that speak of a command line, best first: documents that warn of a call of it, then
// documents that warn of a name in it. Everyday calls need a command.
func (b *Book) Command(line string) []Match {
	if b == nil {
		return nil
	}
	b.settle.Do(b.markUsual)
	calls, lower := commandsIn(line), strings.ToLower(line)
	others := slices.DeleteFunc(slices.Clone(calls), func(c command) bool { return c.isEveryday() || c.shows })
	return b.match(func(d document) Match {
		var best Match
		known := false
		for _, call := range calls {
			q, isFine := d.against(call)
			if q != nil {
				best = heavier(best, Match{Weight: float64(max(1, q.command.size())), Text: q.Text})
			}
			known = known || isFine
		}
		if q := d.forbidsCode(lower); q != nil {
			best = heavier(best, Match{Weight: 1, Text: q.Text})
		}
		if best.Weight == 0 && len(others) > 0 && !known && !d.hasRules() {
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

// matchNames finds names of hosts and resources in calls, and paths of files that a call runs or changes.
func (b *Book) matchNames(quotes document, calls []command) Match {
	for _, q := range quotes {
		isNamed := func(call command) bool {
			isRun := strings.Contains(call.words[0], ".") && strings.HasSuffix(q.folded, "/"+call.words[0])
			if strings.Contains(q.folded, "/") {
				return isRun || changing().MatchString(call.words[0]) &&
					slices.ContainsFunc(call.words, func(word string) bool { return strings.TrimPrefix(word, "./") == q.folded })
			}
			return has(strings.Join(call.words, " "), q.folded)
		}
		isWarned := q.Odds >= warnedName || strings.Contains(q.Text, "/") && q.isWarned()
		if q.isName && isWarned && b.names[q.folded] <= few && slices.ContainsFunc(calls, isNamed) {
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
	capitalWord = lazyregexp.New(`^[A-Z]{4,}$`)
	sentence    = lazyregexp.New(`^[A-Z][a-z]+ [^-]*$| (?:is|are|was|not|could|the|of|to|error) `)
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
	return hasMark && nameForm().MatchString(text) && !strings.HasSuffix(text, ":") && !oneFolder().MatchString(text) &&
		!bareFile().MatchString(text) && text != "node_modules"
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
