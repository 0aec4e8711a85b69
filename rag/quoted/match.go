package quoted

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// Book is what the documents of a project quote, read once to be compared often. It is not changed.
type Book struct {
	// documents have their quotes, the longest first.
	documents [][]quote
	// names counts the documents that quote a name.
	names map[string]int
}

type quote struct {
	markdown.Quote

	// command is the quote as a command line, and folded the same as text. names are the words of it that
	// name a host, a resource or a folder.
	command Command
	folded  string
	names   []string
	// key is the longest word of the quote: a text without it does not have the quote.
	key string
	// titled says that the title has the quote, and about that it has a word of it.
	titled, about bool
	// printed is the quote as [masked] returns it, if it may be a line that a program prints; "" otherwise.
	printed string
	// flag says that the quote is a flag alone, of a command that stands elsewhere.
	flag bool
}

// Add adds a document with its quotes in the form of the index.
func (b *Book) Add(title string, texts []string) {
	titleText, stems := folded(title), terms.Distinct(terms.English, title)
	var quotes []quote
	names := map[string]bool{}
	for _, text := range texts {
		q := newQuote(text)
		q.titled = strings.Contains(titleText, q.folded)
		q.about = slices.ContainsFunc(terms.Distinct(terms.English, strings.Join(slices.Concat(q.command.words, q.command.flags), " ")),
			func(stem string) bool { return slices.Contains(stems, stem) })
		quotes = append(quotes, q)
		for _, name := range append(q.names, q.folded, q.printed) {
			names[name] = true
		}
	}
	slices.SortStableFunc(quotes, func(a, b quote) int {
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

func newQuote(text string) quote {
	q := quote{Quote: markdown.ParseQuote(text)}
	q.folded = folded(q.Text)
	for word := range wordsOf(q.folded) {
		if len(word) > len(q.key) || len(word) == len(q.key) && word > q.key {
			q.key = word
		}
	}
	if commands := Commands(q.Text); len(commands) == 1 {
		q.command = commands[0]
		q.command.words = slices.DeleteFunc(q.command.words, placeholder.MatchString)
	}
	q.flag = strings.HasPrefix(q.Text, "-") && len(q.command.flags) > 0
	if q.printed = masked(q.Text); !isMessage(q.printed) {
		q.printed = ""
	}
	fields := strings.Fields(q.Text)
	for _, word := range fields {
		if isName(word) && (len(fields) == 1 || len(q.command.words) > 1 && word != fields[0]) {
			q.names = append(q.names, folded(word))
		}
	}
	return q
}

// wordsOf returns the words of a folded text, without digits.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		words[word] = true
	}
	return words
}

// Match says how well the quotes of a document match.
type Match struct {
	// Document counts from 0, in the order of [Book.Add]. Weight is more than 0.
	Document int
	Weight   float64
	// Text is the quote that matches best. Name says that a name in it has matched, and no command.
	Text string
	Name bool
}

// Command returns the documents that speak of a command line, best first.
func (b *Book) Command(line string) []Match {
	calls, text := Commands(line), folded(line)
	return b.match(func(quotes []quote) Match { return b.matchCalls(quotes, text, calls) })
}

// match returns the documents of which the quotes match, best first.
func (b *Book) match(weigh func(quotes []quote) Match) []Match {
	if b == nil {
		return nil
	}
	var matches []Match
	for i, quotes := range b.documents {
		if m := weigh(quotes); m.Weight > 0 {
			m.Document = i
			matches = append(matches, m)
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Weight, a.Weight) })
	return matches
}

// Advises reports whether a command line is what a document advises.
func (b *Book) Advises(document int, line string) bool {
	return slices.ContainsFunc(Commands(line), func(call Command) bool {
		_, advised := matchCall(b.documents[document], call)
		return advised
	})
}

func (b *Book) matchCalls(quotes []quote, text string, calls []Command) (best Match) {
	for _, call := range calls {
		m, advised := matchCall(quotes, call)
		if advised {
			return Match{}
		}
		if m.Weight > best.Weight {
			best = m
		}
	}
	if best.Weight > 0 {
		return best
	}
	return b.matchNames(quotes, text, calls)
}

// matchCall returns the match of the longest quote that the call contains. A call is advised if the document
// recommends it, or if it has a flag that the document names apart from the command.
func matchCall(quotes []quote, call Command) (best Match, advised bool) {
	var found quote
	for _, q := range quotes {
		if q.Advice == markdown.Advised && q.size() > 1 && call.contains(q.command, q.flag) {
			return Match{}, true
		}
		if weight := q.weigh(call); weight > best.Weight {
			best, found = Match{Weight: weight, Text: q.Text}, q
		}
	}
	return best, best.Weight > 0 && slices.ContainsFunc(quotes, func(q quote) bool {
		return q.flag && call.contains(q.command, true) && !found.command.contains(q.command, true)
	})
}

func (q quote) size() int { return len(q.command.words) + len(q.command.flags) }

// weigh compares a call with one quote, of a program with a flag or word at least. Of an everyday program the
// document must warn, or the title speak of the call; with one more word alone it must have the whole quote.
func (q quote) weigh(call Command) float64 {
	warned := q.titled || q.Advice == markdown.Warned
	switch {
	case q.Advice == markdown.Advised, q.size() < 2, q.flag, !call.contains(q.command, false):
		return 0
	case !warned && !q.about && (len(q.command.words) < 2 || q.command.isEveryday()):
		return 0
	case !q.titled && q.size() == 2 && q.command.isEveryday():
		return 0
	case warned:
		return float64(q.size() + 1)
	default:
		return float64(q.size())
	}
}

// contains reports whether all of a quoted command stands in the call, in its order. With flags, it need not
// begin with a program.
func (c Command) contains(q Command, flags bool) bool {
	if flags {
		return c.has(q, 0)
	}
	for i, word := range c.words {
		if len(q.words) > 0 && (word == q.words[0] || programName(word) == q.words[0]) && c.has(q, i) {
			return true
		}
	}
	return false
}

// has reports whether the words of a quoted command stand in the call from a word on, and its flags anywhere.
func (c Command) has(q Command, at int) bool {
	for _, word := range q.words {
		i := slices.IndexFunc(c.words[at:], func(other string) bool { return sameWord(word, other) })
		if i < 0 {
			return false
		}
		at += i + 1
	}
	return !slices.ContainsFunc(q.flags, func(flag string) bool { return !c.hasFlag(flag) })
}

// sameWord reports whether a word of a call is what a quote means: placeholders mean all, patterns what they
// match, and a path its end.
func sameWord(quoted, word string) bool {
	if quoted == word || strings.HasSuffix(word, "/"+strings.TrimPrefix(quoted, "/")) {
		return true
	}
	if shortNames[word] == quoted || shortNames[quoted] == word {
		return true
	}
	_, address, _ := strings.Cut(word, "://")
	matched, err := path.Match(quoted, cmp.Or(address, word))
	return err == nil && matched || strings.Trim(quoted, "/'\"") == strings.Trim(word, "/'\"") ||
		programName(word) == quoted
}

// placeholder stands in a quote for any word.
var placeholder = regexp.MustCompile(`^(?:<.*>|\{.*\}|\[.*\]|\$\{?\w+\}?|\.\.\.|…)$`)

// shortNames are those of Kubernetes' resources.
var shortNames = map[string]string{
	"persistentvolumeclaim": "pvc", "deployment": "deploy", "statefulset": "sts", "service": "svc", "namespace": "ns",
	"configmap":              "cm",
	"persistentvolumeclaims": "pvc", "deployments": "deploy", "pods": "pod", "nodes": "node",
}

// hasFlag reports whether the call has a flag, or its short or long form.
func (c Command) hasFlag(flag string) bool {
	return slices.ContainsFunc(c.flags, func(other string) bool {
		short, long := flag, other
		if len(short) > len(long) {
			short, long = long, short
		}
		return flag == other ||
			len(short) == 2 && len(long) > 3 && strings.HasPrefix(long, "--") && strings.EqualFold(long[2:3], short[1:])
	})
}

// matchNames finds names of hosts, resources and folders that few documents quote, in a line with a call that
// is not an everyday one.
func (b *Book) matchNames(quotes []quote, line string, calls []Command) Match {
	const fewDocuments = 2
	if !slices.ContainsFunc(calls, func(c Command) bool { return !c.isEveryday() }) {
		return Match{}
	}
	for _, q := range quotes {
		for _, name := range q.names {
			if q.Advice != markdown.Advised && contains(line, name) && b.names[name] <= fewDocuments {
				return Match{Weight: .5, Text: q.Text, Name: true}
			}
		}
	}
	return Match{}
}

// isName reports whether a quote is the name of a host, resource or folder, and not a word, a file's name
// alone, or a variable.
func isName(text string) bool {
	const fewest = 6
	if len(strings.Trim(text, "/")) < fewest || strings.ContainsAny(text, "=<>*$'\"({[|;,") || strings.HasPrefix(text, "-") ||
		oneFolder.MatchString(text) {
		return false
	}
	return strings.ContainsAny(text, "-/:.0123456789") && !fileAlone.MatchString(text) || hump.MatchString(text)
}

var (
	fileAlone = regexp.MustCompile(`^[\w-]+\.[A-Za-z]{1,5}$`)
	oneFolder = regexp.MustCompile(`^[\w.]+/$`)
	hump      = regexp.MustCompile(`^[a-z]+[A-Z]\w+$`)
)

// folded folds a text, and puts one space between its parts.
func folded(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// contains reports whether a folded text has a part that no letter or digit touches.
func contains(text, part string) bool { return index(text, part) >= 0 }

// index returns where such a part begins, -1 for nowhere.
func index(text, part string) int {
	for from := 0; part != ""; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(part)
		before, after := start > 0 && isWord(part[0]) && isWord(text[start-1]), end < len(text) && isWord(text[end])
		if !before && !(after && isWord(part[len(part)-1])) {
			return start
		}
		from = start + 1
	}
	return -1
}

func isWord(c byte) bool { return c == '_' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) }
