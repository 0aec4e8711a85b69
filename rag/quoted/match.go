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
	documents []document
	// byKey has the documents with a quote of the key. names counts the documents that quote a name.
	byKey map[string][]int
	names map[string]int
}

type document struct {
	quotes []quote
	// byLength has the quotes that are not advised, each once, the longest first.
	byLength []quote
}

type quote struct {
	markdown.Quote

	// command is the quote as a command line, and folded the same as text. names are the words of it that
	// name a host, a resource or a folder.
	command Command
	folded  string
	names   []string
	// titled says that the title has the quote. about has the words of the quote that are in the title.
	titled bool
	about  []string
	// printed is the quote as [masked] returns it, if it may be a line that a program prints; "" otherwise.
	printed string
	// flag says that the quote is a flag alone, of a command that stands elsewhere.
	flag bool
}

// Add adds a document with its quotes in the form of the index.
func (b *Book) Add(title string, texts []string) {
	titleText, stems := folded(title), terms.Distinct(title)
	d, keys, names := document{}, map[string]bool{}, map[string]bool{}
	for _, text := range texts {
		q := newQuote(text)
		q.titled = strings.Contains(titleText, q.folded)
		for _, word := range slices.Concat(q.command.words, q.command.flags) {
			if slices.ContainsFunc(terms.Distinct(word), func(stem string) bool { return slices.Contains(stems, stem) }) {
				q.about = append(q.about, word)
			}
		}
		d.quotes = append(d.quotes, q)
		for _, name := range q.names {
			names[name], keys[key(name)] = true, true
		}
		keys[key(q.folded)], names[q.folded] = true, true
		if q.printed != "" {
			keys[key(q.printed)], names[q.printed] = true, true
		}
		if words := slices.Concat(q.command.words, q.command.flags); len(words) > 0 {
			keys[key(words[0])] = true
		}
	}
	d.byLength = slices.DeleteFunc(slices.Clone(d.quotes), func(q quote) bool { return q.Advice == markdown.Advised })
	slices.SortStableFunc(d.byLength, func(a, b quote) int {
		return cmp.Or(cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(b.Advice, a.Advice)) // warned before mentioned
	})
	if b.byKey == nil {
		b.byKey, b.names = map[string][]int{}, map[string]int{}
	}
	for key := range keys {
		b.byKey[key] = append(b.byKey[key], len(b.documents))
	}
	for name := range names {
		b.names[name]++
	}
	b.documents = append(b.documents, d)
}

func newQuote(text string) quote {
	q := quote{Quote: markdown.ParseQuote(text)}
	q.folded = folded(q.Text)
	if commands := Commands(q.Text); len(commands) == 1 && !strings.Contains(q.Text, "$(") {
		q.command = commands[0]
		isPlaceholder := func(word string) bool { return placeholder.MatchString(word) }
		q.command.words = slices.DeleteFunc(q.command.words, isPlaceholder)
		if words := q.command.words; len(words) > 0 && !program.MatchString(words[0]) {
			q.command = Command{}
		}
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

// key is the longest part of a name. A line that has the name has the part between other characters.
func key(text string) (longest string) {
	for part := range strings.FieldsFuncSeq(strings.ToLower(text), isBetween) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

func isBetween(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

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
	if b == nil {
		return nil
	}
	calls, text := Commands(line), folded(line)
	var matches []Match
	for _, i := range b.withKeys(text, calls) {
		if m := b.matchCalls(b.documents[i], text, calls); m.Weight > 0 {
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
		_, advised := b.documents[document].matchCall(call)
		return advised
	})
}

// withKeys returns the documents that may quote something of a text.
func (b *Book) withKeys(text string, calls []Command) []int {
	keys := map[string]bool{}
	for part := range strings.FieldsFuncSeq(text, isBetween) {
		keys[part] = true
	}
	for _, call := range calls {
		for _, word := range call.words {
			keys[key(programName(word))] = true
		}
	}
	var found []int
	for key := range keys {
		found = append(found, b.byKey[key]...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (b *Book) matchCalls(d document, text string, calls []Command) (best Match) {
	for _, call := range calls {
		m, advised := d.matchCall(call)
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
	return b.matchNames(d, text, calls)
}

// matchCall returns the match of the longest quote that the call contains. A call is advised if the document
// recommends it, or if it has a flag that the document names apart from the command.
func (d document) matchCall(call Command) (best Match, advised bool) {
	var found quote
	for _, q := range d.quotes {
		if q.Advice == markdown.Advised && q.size() > 1 && call.contains(q.command, q.flag) {
			return Match{}, true
		}
		if weight := q.weigh(call); weight > best.Weight {
			best, found = Match{Weight: weight, Text: q.Text}, q
		}
	}
	return best, best.Weight > 0 && slices.ContainsFunc(d.quotes, func(q quote) bool {
		return q.flag && call.contains(q.command, true) && !found.command.contains(q.command, true)
	})
}

func (q quote) size() int { return len(q.command.words) + len(q.command.flags) }

// weigh compares a call with one quote. An everyday call needs a document that is about it.
func (q quote) weigh(call Command) (weight float64) {
	warned := q.titled || q.Advice == markdown.Warned
	from, whole := call.find(q.command)
	switch {
	case q.Advice == markdown.Advised || q.size() == 0 || q.flag:
	case !whole:
		if own, everyday := call.everyday(); !(everyday && own > 0) && call.resembles(q.command) {
			weight = float64(q.size()) / 2
		}
	default:
		own, everyday := Command{words: call.words[from:], flags: call.flags}.everyday()
		if _, whole := call.everyday(); from > 0 && whole {
			everyday = true
		}
		special := len(q.command.words) > 1 || len(q.about) > 0 && q.size() > 1 || warned && from == 0 && !call.isKnown()
		if everyday && q.isAbout(own) || !everyday && special {
			weight = float64(q.size())
		}
	}
	if weight > 0 && warned {
		weight++
	}
	return weight
}

// isAbout reports whether the document is about a quoted everyday call, of which so many words are everyday:
// the title has it, or a word beyond these. A call that changes something is enough with two more words.
func (q quote) isAbout(own int) bool {
	if q.titled && q.size() > 1 {
		return true
	}
	if len(q.command.words) < own || !q.command.changes() {
		return false
	}
	isRoot := func(word string) bool { return strings.Trim(word, "./") == "" }
	more := slices.DeleteFunc(slices.Clone(q.command.words[own:]), isRoot)
	return len(more) > 0 && len(more)+len(q.command.flags) > 1 ||
		slices.ContainsFunc(slices.Concat(more, q.command.flags), func(word string) bool { return slices.Contains(q.about, word) })
}

// contains reports whether all of a quoted command stands in the call, in its order. With flags, it need not
// begin with a program.
func (c Command) contains(q Command, flags bool) bool {
	if !flags {
		_, found := c.find(q)
		return found
	}
	return c.has(q, 0)
}

// find returns where a quoted command begins in the call, and whether all of it is there.
func (c Command) find(q Command) (from int, found bool) {
	if len(q.words) == 0 {
		return 0, false
	}
	for i, word := range c.words {
		if (word == q.words[0] || programName(word) == q.words[0]) && c.has(q, i) {
			return i, true
		}
	}
	return 0, false
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

// resembles reports whether the call has most of a long quoted command: program and subcommand, and an
// argument.
func (c Command) resembles(q Command) bool {
	if len(q.words) < 3 || !c.contains(Command{words: q.words[:2]}, false) {
		return false
	}
	words, flags := 0, 0
	for _, word := range q.words {
		if slices.ContainsFunc(c.words, func(other string) bool { return sameWord(word, other) }) {
			words++
		}
	}
	for _, flag := range q.flags {
		if c.hasFlag(flag) {
			flags++
		}
	}
	return words > 2 && 3*(words+flags) >= 2*(len(q.words)+len(q.flags))
}

// sameWord reports whether a word of a call is what a quote means: placeholders mean all, patterns what they
// match, and a path its end.
func sameWord(quoted, word string) bool {
	if quoted == word || strings.HasSuffix(word, "/"+strings.TrimPrefix(quoted, "/")) ||
		strings.HasPrefix(word, quoted+".") && strings.Contains(quoted, "-") {
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

var (
	// placeholder stands in a quote for any word.
	placeholder = regexp.MustCompile(`^(?:<.*>|\{.*\}|\[.*\]|\$\{?\w+\}?|\.\.\.|…)$`)
	// program is what a command may begin with.
	program = regexp.MustCompile(`^[A-Za-z_][\w.+ -]*$|^/[\w/.-]+$`)
)

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
func (b *Book) matchNames(d document, line string, calls []Command) Match {
	const fewDocuments = 2
	if !slices.ContainsFunc(calls, func(c Command) bool { _, everyday := c.everyday(); return !everyday }) {
		return Match{}
	}
	for _, q := range d.quotes {
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
		strings.HasSuffix(text, ".") || strings.HasSuffix(text, ":") || oneFolder.MatchString(text) {
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
		if !touches(text[:start], part, true) && !touches(text[end:], part, false) {
			return start
		}
		from = start + 1
	}
	return -1
}

// touches reports whether a part goes on in the text before or behind it.
func touches(text, part string, before bool) bool {
	isWord := func(c byte) bool { return c == '_' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) }
	if text == "" {
		return false
	}
	if before {
		return isWord(part[0]) && isWord(text[len(text)-1])
	}
	return isWord(part[len(part)-1]) && isWord(text[0])
}
