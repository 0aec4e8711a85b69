package quoted

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// sharpness says how much more a quote counts that is more like a call.
const sharpness = 9

// against returns the quote that warns of a call, nil for none. isFine says that the document allows the call. What is
// plainly said of it decides. Otherwise each quote that the call has votes by its log-odds: the more it is like the call,
// the more it counts. Fine code that has less of the call than code that is warned of does not count: `mc rm` may be fine, and
// `mc rm --versions` is not.
func (d document) against(call command) (against *quote, isFine bool) {
	all := d.find(call)
	if q, isFine := plainRule(all); q != nil || isFine {
		return q, isFine
	}
	votes, most := 0.0, 0.0
	for _, f := range all {
		if !f.quote.isWarned() && slices.ContainsFunc(all, f.isOutdoneByWarning) {
			continue
		}
		votes += math.Pow(f.like, sharpness) * f.odds
		if f.odds >= 0 && f.like > most {
			against, most = f.quote, f.like
		}
	}
	if votes < 0 {
		return nil, true
	}
	return against, false
}

// plainRule returns the quote with which a document plainly forbids a call, nil for none. isFine says that the document
// plainly allows the call.
func plainRule(all []found) (against *quote, isFine bool) {
	most := 0
	for _, f := range all {
		isOutdone := func(other found) bool { return !other.quote.isWarned() && f.isLess(other) }
		if f.quote.IsForbidden() && len(f.same) > most && !slices.ContainsFunc(all, isOutdone) {
			against, most = f.quote, len(f.same)
		}
	}
	isAllowed := func(f found) bool {
		return f.quote.IsFine() && !slices.ContainsFunc(all, f.isOutdoneByWarning)
	}
	return against, against == nil && slices.ContainsFunc(all, isAllowed)
}

// found is a quote that a call has.
type found struct {
	quote *quote
	// like is how like they are, up to 1, and odds are the log-odds of the quote's vote.
	like, odds float64
	// same are the words and flags of the call that the quote has too. others counts words of the quote for which the call
	// has other ones of their form.
	same   []string
	others int
}

// isOutdone reports whether another quote says at least as much of the call, isLess whether it says more, and
// isOutdoneByWarning whether one does that is not plainly forbidden, but warned of.
func (f found) isOutdone(other found) bool {
	isIn := func(part string) bool { return slices.Contains(other.same, part) }
	missing := slices.DeleteFunc(slices.Clone(f.same), isIn)
	return len(missing) == 0 && (len(other.same) > len(f.same) || other.others <= f.others)
}

func (f found) isLess(other found) bool { return f.isOutdone(other) && !other.isOutdone(f) }

func (f found) isOutdoneByWarning(other found) bool {
	return other.quote.isWarned() && !other.quote.IsForbidden() && f.isOutdone(other)
}

// find returns the quotes that a call has.
func (d document) find(call command) (all []found) {
	for _, q := range d {
		f := found{quote: q, like: 1, odds: q.Odds}
		isRule := q.IsForbidden()
		switch {
		case q.isUsual, !q.holdsFor(call), q.isWarned() && call.isTrial && !q.command.isTrial, q.isExcepted(call.hasPart):
			continue
		case q.isWord && call.isLiteral && slices.Contains(call.words, q.folded):
			f.same = []string{q.folded}
		case q.flag:
			isKnown := d.quotes(call) && (q.isWarned() || !d.warnsOf(q.command)) || isRule && d.hasProgram(call)
			if call.shows || !d.means(q.command, call) || !isKnown {
				continue
			}
			f.odds-- // it says less than a call
			f.same, _, _ = call.compare(q.command)
			f.same = append(f.same, call.words[0])
		case isRule && q.isSetting() && d.hasProgram(call) && slices.Contains(call.words, q.folded):
			f.same = []string{call.words[0], q.folded}
		case (q.isCall() || isRule && q.isProgramOf(call)) && call.contains(q.command) && !q.isTooShort():
			var isAll bool
			f.like = call.likeness(q.command)
			f.same, f.others, isAll = call.compare(q.command)
			if !isAll {
				continue
			}
		default:
			continue
		}
		all = append(all, f)
	}
	return all
}

// compare returns the words and flags that a call shares with a quoted command that it contains, and how many words are
// others. isAll says that all flags and starters are there.
func (c command) compare(quoted command) (same []string, others int, isAll bool) {
	isAll = true
	for _, flag := range quoted.flags {
		at := slices.IndexFunc(c.flags, func(other string) bool { return isSame(flag, other) })
		if at >= 0 {
			same = append(same, c.flags[at])
		} else {
			isAll = isAll && !quoted.isRule && slices.Contains(quoted.optional, flag)
		}
	}
	for _, word := range slices.Concat(quoted.words, quoted.examples) {
		if slices.ContainsFunc(c.words, func(other string) bool { return other == word || path.Base(other) == word }) {
			same = append(same, word)
		} else {
			others++
		}
	}
	isMissing := func(program string) bool {
		return !slices.Contains(c.by, program) && !slices.Contains(c.words, program)
	}
	return same, others, isAll && !(quoted.isRule && slices.ContainsFunc(quoted.by, isMissing))
}

// forbidsCode returns the quote of a function that the document plainly forbids and a line in lower case calls, as
// `node -e` does, nil for none.
func (d document) forbidsCode(lower string) *quote {
	for _, q := range d {
		if !q.IsForbidden() {
			continue
		}
		call, isOfAny := strings.CutSuffix(q.folded, ")")
		name, arguments, isCall := strings.Cut(call, "(")
		if isOfAny && arguments == "" {
			call = name + "("
		}
		if isCall && strings.ContainsAny(name, ".:_") && strings.Contains(lower, call) {
			return q
		}
	}
	return nil
}

// isTooShort reports whether the quote is a program with one word that says little: an everyday program, or one whose
// other words are left out. The document must not clearly warn of it.
func (q *quote) isTooShort() bool {
	isCommon := q.command.isEveryday() || strings.Contains(q.Text, "…")
	return q.isWarned() && isCommon && q.command.size() < subcommands && !q.titled && q.Odds < warnedShort
}

// isSetting reports whether the quote is a word such as state=down.
func (q *quote) isSetting() bool { return setting().MatchString(q.folded) }

// isProgramOf reports whether the quote is the name of a program alone, which is not of every day, and the call runs it.
func (q *quote) isProgramOf(call command) bool {
	if !programName().MatchString(q.Text) || len(q.command.words) != 1 || q.command.isEveryday() ||
		slices.Contains(namesOfCommands, q.folded) || slices.Contains(manifold, q.folded) {
		return false
	}
	at := slices.Index(call.programs, q.command.words[0])
	return at == 0 && call.name == q.command.name || at > 0 && call.executes(at)
}

// hasRules reports whether the document plainly forbids a call.
func (d document) hasRules() bool {
	return slices.ContainsFunc(d, func(q *quote) bool { return q.IsForbidden() && (q.isCall() || q.flag) })
}

// hasProgram reports whether a document quotes a call of the program, or its name.
func (d document) hasProgram(call command) bool {
	return slices.ContainsFunc(d, func(q *quote) bool {
		return !q.flag && len(q.command.words) > 0 && len(call.words) > 0 && q.command.words[0] == call.words[0]
	})
}

// quotes reports whether a document quotes a call of the same program and command.
func (d document) quotes(call command) bool {
	return slices.ContainsFunc(d, func(q *quote) bool {
		return q.isCall() && call.contains(q.command.head())
	})
}

// warnsOf reports whether a quote that the document warns of has a flag.
func (d document) warnsOf(flag command) bool {
	return slices.ContainsFunc(d, func(q *quote) bool { return q.isWarned() && q.command.has(flag, 0) })
}

// means reports whether a call has flags that the document quotes alone. If the document has a call with the first of
// them, it is of that program. If the call has another form of it, no call of its program in the document has that.
func (d document) means(flags, call command) bool {
	flag, isOwn, isOther := flags.flags[0], false, false
	form := slices.IndexFunc(call.flags, func(other string) bool { return isSame(flag, other) })
	isForm := form >= 0 && !slices.Contains(call.flags, flag)
	for _, q := range d {
		if !q.isCall() {
			continue
		}
		isSameProgram, hasFlag := call.starts(q.command.words[0]), slices.Contains(q.command.flags, flag)
		if isForm && isSameProgram && slices.Contains(q.command.flags, call.flags[form]) {
			return false
		}
		isOwn, isOther = isOwn || hasFlag && isSameProgram, isOther || hasFlag && !isSameProgram
	}
	return call.has(flags, 0) && (isOwn || !isOther)
}

// holdsFor reports whether a call may be at the place of the quote: unless the call names other places of its kind.
func (q *quote) holdsFor(call command) bool {
	own := strings.TrimSuffix(q.own, "/")
	if !strings.Contains(q.own, "/") || call.folder == "" && !isAbsolute(own) {
		return true
	}
	isOther := false
	for _, word := range append([]string{call.folder}, call.words...) {
		if strings.Contains(word+"/", own+"/") {
			return true
		}
		isOther = isOther || word != "" && (isAbsolute(word) || !isAbsolute(own) && word == call.folder)
	}
	return !isOther
}

func isAbsolute(place string) bool { return absolute().MatchString(place) }

// isExcepted reports whether code is there with which the quote is fine.
func (q *quote) isExcepted(isThere func(code string) bool) bool {
	for code := range strings.SplitSeq(q.Unless, "\t") {
		if code != "" && isThere(code) {
			return true
		}
	}
	return false
}

// hasPart reports whether a call has all flags and words of a part of one.
func (c command) hasPart(text string) bool {
	part := newCommand(append([]string{"any"}, strings.Fields(text)...))
	isIn := func(of []string) func(string) bool {
		return func(word string) bool {
			return !slices.ContainsFunc(of, func(other string) bool { return isSame(word, other) })
		}
	}
	return !slices.ContainsFunc(part.flags, isIn(c.flags)) && !slices.ContainsFunc(part.words[1:], isIn(c.words))
}

// manifold are programs that are used for so much that a rule on one of them is a rule on one use.
var manifold = strings.Fields("aws curl docker gcloud kubectl mysql psql rsync scp sed sftp ssh tar wget")

var (
	setting     = lazyregexp.New(`^[a-z][\w.-]*=[^\s=]+$`)
	absolute    = lazyregexp.New(`^(?:[\w@.-]+:)?[/~]`)
	programName = lazyregexp.New(`^(?:(?:sudo|nohup) )?[a-z][a-z0-9_+-]{2,}$`)
)
