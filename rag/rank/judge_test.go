package rank_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/rag/terms"
)

func TestVerdict_BesideAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		grade rank.Grade
		score float64
		want  rank.Grade
	}{
		{"an answer stays", rank.Answers, .1, rank.Answers},
		{"a likely document stays", rank.MayAnswer, relevance.Likely, rank.MayAnswer},
		{"a weak document goes", rank.MayAnswer, relevance.Likely - .01, rank.Nothing},
	} {
		hits := []rank.Hit{{Score: test.score}}
		got := rank.Verdict{Grade: test.grade, MayAnswer: hits, Closest: hits}.BesideAnswer()
		stays := test.want != rank.Nothing
		if got.Grade != test.want || (got.MayAnswer != nil) != stays || (got.Closest != nil) != stays {
			t.Errorf("%s: got %+v, want the grade %s", test.name, got, test.want)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	q := words(t, "connection pool exhausted at night")
	unasked := q
	unasked.Unasked = true
	hits := func(scores ...float64) []rank.Hit {
		list := make([]rank.Hit, len(scores))
		for i, score := range scores {
			list[i] = rank.Hit{ID: int64(i), Path: string(rune('a' + i)), Title: "Other", Score: score, Level: catalog.Standard}
		}
		return list
	}
	about, rule := hits(.2, .1), hits(.9, .2)
	about[1].Title = "Nights of a pool" // has "pool", which is as rare as the other words
	rule[1].Level = catalog.Critical
	for _, test := range []struct {
		name                                 string
		question                             rank.Question
		ranked                               []rank.Hit
		limits                               rank.Limits
		grade                                rank.Grade
		documents, critical, unsure, closest []string
	}{
		{"answers", q, hits(.9, .6, .4), rank.Limits{MinScore: .5, Documents: 10}, rank.Answers, []string{"a", "b"}, []string{}, []string{"c"}, []string{"c"}},
		{"a short list", q, hits(.9, .8, .7), rank.Limits{MinScore: .5, Documents: 1}, rank.Answers, []string{"a"}, []string{}, []string{}, []string{}},
		{"a short list of what may answer", q, hits(.45, .31, .05), rank.Limits{MinScore: .5, Documents: 1}, rank.MayAnswer, []string{}, []string{}, []string{"a", "b"}, []string{"a"}},
		{"may answer", q, hits(.45, .31, .05), rank.Limits{MinScore: .5, Documents: 10}, rank.MayAnswer, []string{}, []string{}, []string{"a", "b"}, []string{"a", "b", "c"}},
		{"related ones stand beside a likely one", q, hits(.45, .2, .15, .12, .05), rank.Limits{MinScore: .5, Documents: 10}, rank.MayAnswer, []string{}, []string{}, []string{"a", "b", "c"}, []string{"a", "b", "c", "d", "e"}},
		{"nothing", q, hits(.2, .1), rank.Limits{MinScore: .5, Documents: 10}, rank.Nothing, []string{}, []string{}, []string{}, []string{"a", "b"}},
		{"a rule has a list of its own", q, rule, rank.Limits{MinScore: .5, Documents: 10, Critical: 3}, rank.Answers, []string{"a"}, []string{"b"}, []string{}, []string{}},
		{"no document", q, nil, rank.Limits{MinScore: .5, Documents: 10}, rank.Nothing, []string{}, []string{}, []string{}, []string{}},
		{"unasked, a title does not count", unasked, about, rank.Limits{MinScore: .5, Documents: 10}, rank.Nothing, []string{}, []string{}, []string{}, []string{"a", "b"}},
	} {
		v := rank.Judge(test.question, test.ranked, passages, test.limits)
		got := [][]string{paths(v.Documents), paths(v.Critical), paths(v.MayAnswer), paths(v.Closest)}
		if diff := cmp.Diff([][]string{test.documents, test.critical, test.unsure, test.closest}, got); diff != "" || v.Grade != test.grade {
			t.Errorf("%s: grade %s, want %s; documents, critical, unsure, closest (-want +got):\n%s", test.name, v.Grade, test.grade, diff)
		}
	}
}

// A broad query names the documents that have all its words in title and tags, beyond those that answer.
func TestJudge_BroadQueryNamesTitles(t *testing.T) {
	t.Parallel()
	q := words(t, "backup plan")
	hits := []rank.Hit{{ID: 99, Path: "other.md", Title: "Restore", Score: .6}}
	for i := range int64(30) {
		hits = append(hits, rank.Hit{ID: i, Path: strconv.Itoa(int(i)), Title: "Backup plan", Score: .4})
	}
	for _, threshold := range []float64{.5, .999} {
		v := rank.Judge(q, hits, passages, rank.Limits{MinScore: threshold, Documents: 3})
		if len(v.MayAnswer) != 20 || slices.ContainsFunc(v.MayAnswer, func(hit rank.Hit) bool { return hit.Title != "Backup plan" }) {
			t.Errorf("from %g on %q may answer, want 20 titles", threshold, paths(v.MayAnswer))
		}
	}
}

// A document that says the same in other words may answer, whatever it scores, if no other is likely. Among many
// passages it must be nearer.
func TestJudge_OtherWords(t *testing.T) {
	t.Parallel()
	q := words(t, "how can I undo a mistake")
	hits := []rank.Hit{
		{ID: 1, Path: "usage.md", Title: "Usage", Content: "`shutter --revert` takes the last run back.", Score: .01},
		{ID: 2, Path: "fruit.md", Title: "Fruit", Content: "Bananas are yellow.", Score: .02},
	}
	for n, want := range map[int][]string{4: {"usage.md"}, 1_000_000: {}} {
		v := rank.Judge(q, hits, n, rank.Limits{MinScore: .5, Documents: 5})
		if diff := cmp.Diff(want, paths(v.MayAnswer)); diff != "" || (v.Grade == rank.MayAnswer) != (len(want) > 0) {
			t.Errorf("among %d: grade %s, may answer (-want +got):\n%s", n, v.Grade, diff)
		}
	}
	likely := append([]rank.Hit{{ID: 3, Path: "likely.md", Score: .4}}, hits...)
	v := rank.Judge(q, likely, 4, rank.Limits{MinScore: .5, Documents: 5})
	if diff := cmp.Diff([]string{"likely.md"}, paths(v.MayAnswer)); diff != "" {
		t.Errorf("beside a likely document, may answer (-want +got):\n%s", diff)
	}
}

// A document that may answer stands behind the one that replaces it, which has none of the query's words.
func TestJudge_NamesSuccessors(t *testing.T) {
	t.Parallel()
	standings := catalog.NewStandings(nil, map[string][]string{"usage.md": {"later.md"}}, nil)
	for text, older := range map[string]rank.Hit{
		"how do I undo a bad run": {ID: 1, Path: "usage.md", Title: "Usage", Content: "`shutter --revert` takes the last run back.", Score: .01},
		"zeppelin":                {ID: 1, Path: "usage.md", Title: "Zeppelins over lakes", Score: .1},
	} {
		older.Standing = standings.Of(older.Path, "")
		ranked := []rank.Hit{
			{ID: 3, Path: "fruit.md", Title: "Fruit", Content: "Bananas are yellow.", Score: .2},
			{ID: 2, Path: "later.md", Title: "Gold", Content: "Rivers carry copper.", Score: older.Score},
			older,
		}
		v := rank.Judge(words(t, text), ranked, 4, rank.Limits{MinScore: .5, Documents: 5})
		if diff := cmp.Diff([]string{"later.md", "usage.md"}, paths(v.MayAnswer)); diff != "" {
			t.Errorf("%q: may answer (-want +got):\n%s", text, diff)
		}
	}
}

// The name of a file says what it is about. A long text must be nearer than a short one.
func TestJudge_NameAndLength(t *testing.T) {
	t.Parallel()
	const text = "Security fixes go in nightly. Kernels wait for the second Tuesday, 22:00."
	long := text + " We drink coffee beside green hills while seven musicians play old songs." +
		" Bananas, trains, lions, copper, letters, winter, poems, kitchens, rivers, gold, judges, doors, silk, bread and wine."
	for _, test := range []struct {
		path, content string
		passages      int
		want          rank.Grade
	}{
		{"docs/patching.md", text, 40, rank.MayAnswer},
		{"docs/notes.md", text, 40, rank.Nothing},
		{"docs/patching.md", text, 1_000, rank.MayAnswer},
		{"docs/patching.md", long, 1_000, rank.Nothing},
	} {
		hit := rank.Hit{ID: 1, Path: test.path, Title: "Updates", Content: test.content, Score: .01}
		v := rank.Judge(words(t, "when are machines patched?"), []rank.Hit{hit}, test.passages, rank.Limits{MinScore: .5, Documents: 5})
		if v.Grade != test.want {
			t.Errorf("%s with %d characters of %d passages: %s, want %s", test.path, len(test.content), test.passages, v.Grade, test.want)
		}
	}
}

// Words that answer alone are not nothing because the model sees no likeness, nor the other way round.
func TestJudge_OneKindOfEvidence(t *testing.T) {
	t.Parallel()
	for name, evidence := range map[string]relevance.Evidence{
		"words":   {Signals: relevance.Signals{Strength: 2.2, Share: .9, Meaning: -9}},
		"nothing": {Signals: relevance.Signals{Strength: 1, Share: .2, Meaning: -9}},
	} {
		evidence.Passages, evidence.Crowd = 20, relevance.CrowdOf(nil)
		hit := rank.Hit{ID: 1, Path: "a.md", Evidence: evidence, Score: relevance.Score(evidence.Calibrated(evidence.LogOdds()))}
		v := rank.Judge(words(t, "pool"), []rank.Hit{hit}, 20, rank.Limits{MinScore: .5, Documents: 5})
		if hit.Score >= relevance.Likely || (v.Grade == rank.MayAnswer) != (name == "words") {
			t.Errorf("%s: the score %g has the grade %s", name, hit.Score, v.Grade)
		}
	}
}

func termsOf(query terms.Query) string {
	numbers := make([]string, len(query.Terms))
	for i, term := range query.Terms {
		numbers[i] = strconv.Itoa(int(term.Hash))
	}
	return strings.Join(numbers, ",")
}
