package rag

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// assessment says how relevant a passage is.
type assessment struct {
	relevance.Evidence

	// LogOdds that the passage answers: the sum of Terms, unless a line of a pasted text
	// decides, or the passage has the whole of a short query.
	LogOdds float64
	// compared says that the vector of the model was compared; distance is NaN otherwise. alike says that
	// the built-in vector was compared instead; likeness is the cosine.
	compared, alike    bool
	distance, likeness float64
	// named says that the passage has the whole of a short query, or the only word of a query in any
	// of its forms.
	named bool
}

// unnamed returns the log-odds without what named adds. Many passages that have a frequent word
// have the same log-odds with it.
func (a assessment) unnamed() float64 { return a.Evidence.LogOdds() }

// assess says how relevant passages are. The best passage of a document counts for each
// passage of it, and so does a question that it answers.
func (f *search) assess(passages []candidate) []assessment {
	assessed := make([]assessment, len(passages))
	onEach(len(passages), func(i int) { assessed[i] = f.evidence(passages[i]) })
	best, bestMeaning := map[int64]relevance.Signals{}, map[int64]float64{}
	for i, a := range assessed {
		document := passages[i].ID
		best[document] = a.Best(best[document])
		if known, ok := bestMeaning[document]; (a.compared || a.alike) && (!ok || a.Meaning > known) {
			bestMeaning[document] = a.Meaning
		}
	}
	for i := range assessed {
		a, document := &assessed[i], passages[i].ID
		ofDocument := best[document]
		if ofDocument.Meaning = bestMeaning[document]; !a.compared && !a.alike {
			ofDocument.Meaning = 0
		}
		a.Signals = a.Within(ofDocument)
		a.LogOdds = a.Evidence.LogOdds()
		if a.Form == relevance.BuiltIn && f.query.Unasked {
			a.LogOdds -= relevance.UnaskedBuiltIn
		}
		if a.named {
			a.LogOdds = relevance.Named(a.LogOdds)
		}
	}
	return assessed
}

// evidence returns the evidence of a passage, without its document.
func (f *search) evidence(p candidate) assessment {
	a := assessment{
		Evidence: relevance.Evidence{Passages: f.searchable}, distance: p.Distance, compared: !math.IsNaN(p.Distance),
	}
	a.alike, a.likeness = !a.compared && !math.IsNaN(p.Likeness), p.Likeness
	switch {
	case a.compared && f.calibration.Usable():
		a.Meaning = f.calibration.LogOdds(1 - p.Distance)
	case a.alike:
		a.Meaning = calibration.BuiltIn().LogOdds(p.Likeness)
	}
	if f.Mode != Vector && p.Bm25 > 0 {
		var whole bool
		a.Strength, a.Share = relevance.Strength(p.Bm25, f.weights.Sum), f.weights.Share(p.Bm25)
		a.Phrase, whole = f.weights.Literal(p.Heading, p.Content)
		a.named = (whole || f.terms.OneWord()) && !f.query.Unasked
	}
	switch {
	case f.Mode == Vector, a.compared && relevance.MeaningDecides(f.weights.Known):
		a.Form = relevance.Meaning
	case a.alike:
		a.Form = relevance.BuiltIn
	case !a.compared:
		a.Form = relevance.Words
	}
	return a
}

// isQuestion reports whether a passage is a question that its document answers. No search returns
// it: a short question is near to any short prompt, so it counts only beside the document's text.
func isQuestion(ordinal int32) bool { return ordinal < 0 }

// ranked returns the documents that were found, in order of relevance, each with its most
// relevant passage. With EachPassage it returns the passages.
func (f *search) ranked() []*Hit {
	best, lines, title := map[[2]int64]*Hit{}, f.bestLines(), terms.Sequence(f.query.Text)
	for i, assessed := range f.assess(f.candidates) {
		if isQuestion(f.candidates[i].Ordinal) {
			continue
		}
		hit := newHit(f.candidates[i], assessed)
		passage := [2]int64{hit.ID, int64(hit.Ordinal)}
		if line, ok := lines[passage]; ok {
			var decides bool
			if hit.LogOdds, decides = relevance.WithLine(hit.LogOdds, line.logOdds, len(f.pasted)); decides {
				hit.Line = line.text
			}
		}
		hit.SupersededBy, hit.generations = f.superseded.By[hit.Path], f.superseded.Generations[hit.Path]
		hit.Score = relevance.Score(hit.LogOdds)
		hit.Key = relevance.Key(hit.LogOdds, hit.Level != catalog.Standard, hit.SupersededBy != "")
		hit.titled = title != "" && terms.Sequence(hit.Title) == title
		if !f.query.EachPassage {
			passage[1] = 0
		}
		if other, ok := best[passage]; !ok || comparePassages(hit, other) < 0 {
			best[passage] = hit
		}
	}
	return slices.SortedFunc(maps.Values(best), compareHits)
}

// comparePassages orders the passages of a document, the best one first.
func comparePassages(a, b *Hit) int {
	return cmp.Or(
		cmp.Compare(b.LogOdds, a.LogOdds), cmp.Compare(b.unnamed(), a.unnamed()), cmp.Compare(a.distance, b.distance),
		cmp.Compare(a.Ordinal, b.Ordinal),
	)
}

// compareHits orders documents. A query that is a title asks for the document with that title.
func compareHits(a, b *Hit) int {
	return cmp.Or(
		compareTrue(a.titled, b.titled),
		cmp.Compare(b.Key, a.Key), cmp.Compare(b.unnamed(), a.unnamed()), cmp.Compare(a.distance, b.distance),
		cmp.Compare(a.generations, b.generations), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Ordinal, b.Ordinal),
	)
}

// compareTrue orders true before false.
func compareTrue(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func newHit(row candidate, a assessment) *Hit {
	return &Hit{
		ID: row.ID, Path: row.RelativePath, Title: row.Title, Summary: row.Summary, Tags: row.Tags, CharCount: int(row.CharCount),
		DocType: row.DocType, Date: row.DocDate, Level: row.PromotionLevel,
		HeaderPath: row.HeaderPath, StartLine: int(row.StartLine), EndLine: int(row.EndLine),
		Ordinal: int(row.Ordinal), Content: row.Content,
		Stamp: document.Stamp{
			Size: row.FileSize, ModTime: row.FileMtime, ChangeTime: row.FileCtime, Inode: uint64(row.FileInode),
		},
		assessment: a,
	}
}

func (f *search) addSnippet(hit *Hit) { hit.Snippet = f.terms.Snippet(hit.Content, maxSnippet) }

// onEach calls f with 0 to n-1, on all processors. A panic of f is one of onEach.
func onEach(n int, f func(i int)) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			return panics.Catch(func() error {
				f(i)
				return nil
			})
		})
	}
	if bug, ok := group.Wait().(*panics.Error); ok { //nolint:errorlint // Catch returns it as it is
		panic(fmt.Sprintf("%v\n%s", bug.Value, bug.Stack))
	}
}
