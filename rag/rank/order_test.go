package rank_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// passages are how many a search may return in these tests.
const passages = 100

// words asks a text by words, in a project where a fifth of the passages have each of the words.
func words(t *testing.T, text string) rank.Question {
	t.Helper()
	query := terms.NewQuery(1, text)
	sampled := make([]string, passages)
	for i := range sampled {
		if i%5 == 0 {
			sampled[i] = termsOf(query)
		}
	}
	sample, err := rank.NewSample(strings.Join(sampled, ";"), passages, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	vocabulary := terms.NewVocabulary(1, sample.Frequency)
	_, pasted := terms.Parts(text)
	return rank.Question{Text: text, Terms: query, Sample: sample}.Weigh(vocabulary, pasted)
}

// found is a passage of a document that has the share of the question's evidence by words.
func found(q rank.Question, id int64, path string, share float64) rank.Candidate {
	return rank.Candidate{
		Hit: rank.Hit{
			ID: id, Path: path, Title: "Title of " + path, Level: catalog.Standard, Stamp: document.Stamp{Hash: document.Hash{byte(id)}},
			Distance: math.NaN(), Likeness: math.NaN(),
		},
		Bm25: share * q.Weights.Sum, LineIndex: -1,
	}
}

// at is the passage with the cosine of the model's vectors.
func at(c rank.Candidate, cosine float64) rank.Candidate {
	c.Distance = 1 - cosine
	return c
}

func paths(hits []rank.Hit) []string {
	list := []string{}
	for _, hit := range hits {
		list = append(list, hit.Path)
	}
	return list
}

// calibrated is a model for which a cosine of .8 speaks for a document, and one of .2 against it.
func calibrated() calibration.Calibration {
	return calibration.Calibration{Matched: .7, Unmatched: .3, Variance: .02, OwnFirst: 1}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	q := words(t, "connection pool exhausted at night")
	byMeaning := q
	byMeaning.Calibration = calibrated()
	promoted, renewed := found(q, 2, "promoted.md", .5), q
	promoted.Level = catalog.Important
	renewed.Standings = catalog.NewStandings(nil, map[string][]string{"a-old.md": {"b-new.md"}}, nil)
	amended, refused := q, q
	amended.Standings = catalog.NewStandings(nil, nil, map[string][]string{"a-old.md": {"b-new.md"}})
	refused.Standings = catalog.NewStandings(map[string]catalog.Said{"a-old.md": {Status: catalog.Rejected}}, nil, nil)
	titled := found(q, 9, "titled.md", .1)
	titled.Title = "Connection pool: exhausted at night?"
	question := found(q, 1, "question.md", .9)
	question.Ordinal = -1
	asking := question
	asking.Content = "Connection pool: exhausted at night?"
	for _, test := range []struct {
		name       string
		question   rank.Question
		candidates []rank.Candidate
		want       []string
	}{
		{"by words", q, []rank.Candidate{found(q, 1, "half.md", .5), found(q, 2, "most.md", .9)}, []string{"most.md", "half.md"}},
		{"by meaning too", byMeaning, []rank.Candidate{
			at(found(q, 1, "far.md", .5), .2), at(found(q, 2, "near.md", .5), .8), found(q, 3, "unknown.md", .5),
		}, []string{"near.md", "unknown.md", "far.md"}},
		{"promotion decides between the same evidence", q, []rank.Candidate{found(q, 1, "other.md", .5), promoted}, []string{"promoted.md", "other.md"}},
		{"a successor comes first", renewed, []rank.Candidate{found(q, 1, "a-old.md", .5), found(q, 2, "b-new.md", .5)}, []string{"b-new.md", "a-old.md"}},
		{"a successor comes first, whatever the scores", renewed, []rank.Candidate{found(q, 1, "a-old.md", .95), found(q, 2, "b-new.md", .1), found(q, 3, "c.md", .5)}, []string{"b-new.md", "a-old.md", "c.md"}},
		{"so does an amendment", amended, []rank.Candidate{found(q, 1, "a-old.md", .95), found(q, 2, "b-new.md", .1)}, []string{"b-new.md", "a-old.md"}},
		{"a rejected document has half the odds", refused, []rank.Candidate{found(q, 1, "a-old.md", .51), found(q, 2, "b-new.md", .5)}, []string{"b-new.md", "a-old.md"}},
		{"a title that is the query comes first", q, []rank.Candidate{found(q, 1, "most.md", .9), titled}, []string{"titled.md", "most.md"}},
		{"so does a document that lists it as a question", q, []rank.Candidate{
			found(q, 2, "most.md", .9), asking, found(q, 1, "question.md", .1),
		}, []string{"question.md", "most.md"}},
		{"a document comes once", q, []rank.Candidate{found(q, 1, "a.md", .5), found(q, 1, "a.md", .9)}, []string{"a.md"}},
		{"a question of a document is no result", q, []rank.Candidate{question, found(q, 1, "question.md", .1)}, []string{"question.md"}},
	} {
		ranked := rank.Order(test.question, test.candidates, passages)
		if diff := cmp.Diff(test.want, paths(ranked)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		slices.Reverse(test.candidates)
		if diff := cmp.Diff(paths(ranked), paths(rank.Order(test.question, test.candidates, passages))); diff != "" {
			t.Errorf("%s, in another order of candidates (-one +other):\n%s", test.name, diff)
		}
	}
}

// A document comes first that has a name of the query which at most three documents have, and it scores no less than
// those behind it. Of two such names, the one with both comes first.
func TestOrder_RareNamesFirst(t *testing.T) {
	t.Parallel()
	q := words(t, "why does max_conns of the pool depend on ErrNoRows at night")
	q.Weights = q.Terms.Weigh(passages, func(int32) int { return 1 })
	having := func(id int64, path string, share float64, content string) rank.Candidate {
		c := found(q, id, path, share)
		c.Content = content
		return c
	}
	most, one, both := having(1, "most.md", .9, "pool"), having(2, "one.md", .2, "`MAX_CONNS`"), having(3, "both.md", .1, "max_conns, ErrNoRows")
	many := []rank.Candidate{most}
	for id, path := range []string{"a.md", "b.md", "c.md", "d.md"} {
		many = append(many, having(int64(id+5), path, .1, "max_conns"))
	}
	copies := slices.Clone(many)
	for i := range copies[1:] {
		copies[i+1].Stamp = many[1].Stamp
	}
	for _, test := range []struct {
		name       string
		candidates []rank.Candidate
		want       []string
	}{
		{"one name", []rank.Candidate{most, one}, []string{"one.md", "most.md"}},
		{"two names", []rank.Candidate{most, one, both}, []string{"both.md", "one.md", "most.md"}},
		{"a part of a name", []rank.Candidate{most, having(2, "part.md", .2, "pool_max_conns")}, []string{"most.md", "part.md"}},
		{"a name of four documents", many, []string{"most.md", "a.md", "b.md", "c.md", "d.md"}},
		{"a name of four copies", copies, []string{"a.md", "most.md"}},
	} {
		ranked := rank.Order(q, test.candidates, passages)
		if diff := cmp.Diff(test.want, paths(ranked)); diff != "" || ranked[0].Score < ranked[1].Score {
			t.Errorf("%s: scores %v, %v (-want +got):\n%s", test.name, ranked[0].Score, ranked[1].Score, diff)
		}
	}
	// A sample shows no greater rarity, so a larger project does not lower the score.
	few, alone := rank.Order(q, []rank.Candidate{one}, rank.SampleSize), rank.Order(q, []rank.Candidate{one}, 100*rank.SampleSize)
	if few[0].Score != alone[0].Score {
		t.Errorf("a document with a rare name scores %v among many passages, and %v among few", alone[0].Score, few[0].Score)
	}
}

// A question that a document answers counts for the document's own text, as another passage of it does.
func TestAssess_CountsTheWholeDocument(t *testing.T) {
	t.Parallel()
	q := words(t, "connection pool exhausted at night")
	text, question := found(q, 1, "a.md", .3), found(q, 1, "a.md", .9)
	question.Ordinal = -1
	asking := question
	asking.Content = "Connection pool: exhausted at night?"
	alone, beside := rank.Assess(q, []rank.Candidate{text}, passages), rank.Assess(q, []rank.Candidate{text, question}, passages)
	if len(beside) != 1 || beside[0].LogOdds <= alone[0].LogOdds {
		t.Errorf("beside its question the passage has the log-odds %v, alone %v", beside, alone)
	}
}

// Pairs of characters alone are never sure: half of the documents with most of them are about something else.
func TestOrder_PairsAreNeverSure(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"データベース接続の上限に達したときの対処": false, "connection pool exhausted at night since the upgrade": true,
	} {
		q := words(t, text)
		whole := found(q, 1, "a.md", 1)
		whole.Content = text
		best := rank.Order(q, []rank.Candidate{whole, found(q, 2, "b.md", .9)}, 2)[0]
		if best.Path != "a.md" || (rank.Strength(best.Score) == "sure") != want {
			t.Errorf("%q: %s has %g, sure: want %t", text, best.Path, best.Score, want)
		}
	}
}

// Of a pasted text the line that says most decides, if the whole says little.
func TestOrder_ByALineOfAPastedText(t *testing.T) {
	t.Parallel()
	q := words(t, strings.Repeat("worker started again\n", 9)+"harbour crane exploded\n")
	if len(q.Lines) == 0 {
		t.Fatal("no line is looked for")
	}
	line := slices.IndexFunc(q.Lines, func(line rank.Line) bool { return strings.HasPrefix(line.Text, "harbour") })
	c := found(q, 1, "crane.md", .05)
	c.Content, c.LineIndex, c.LineBm25 = "The harbour crane exploded.", line, q.Lines[line].Weights.Sum
	whole := found(q, 1, "crane.md", .05)
	by, without := rank.Order(q, []rank.Candidate{c}, passages)[0], rank.Order(q, []rank.Candidate{whole}, passages)[0]
	if by.Line != "harbour crane exploded" || by.Score <= without.Score || without.Line != "" {
		t.Errorf("the line %q makes the score %g, without it %g", by.Line, by.Score, without.Score)
	}
}

// A document is nearer to a text about its subject, also in other words, and less so among many passages.
func TestHit_NearnessTo(t *testing.T) {
	t.Parallel()
	const text = "The picture freezes for a moment when somebody casts a spell for the first time."
	near := rank.Hit{Title: "Stutter of the first effect", Summary: "The driver compiles a shader when it is drawn.", Content: "Spells are compiled on the loading screen."}
	far := rank.Hit{Title: "Connection pool", Summary: "The dispatcher kept a transaction open.", Content: "Take a lease instead of a lock."}
	among := near
	among.Passages = 1_000
	if near.NearnessTo(text) <= far.NearnessTo(text) || among.NearnessTo(text) >= near.NearnessTo(text) {
		t.Errorf("near %.2f, far %.2f, among many %.2f", near.NearnessTo(text), far.NearnessTo(text), among.NearnessTo(text))
	}
}

// A changelog, and a document that no longer holds, comes behind the first document that may answer, and stays first without one.
// A changelog has no better score than the present document.
func TestOrder_ThePresentComesFirst(t *testing.T) {
	t.Parallel()
	q := words(t, "graphql endpoint added")
	for status, isCapped := range map[catalog.Status]bool{
		catalog.History: true, catalog.Deprecated: false, catalog.Replaced: false, catalog.Expired: false,
	} {
		q.Standings = catalog.NewStandings(map[string]catalog.Said{"past": {Status: status}}, nil, nil)
		for present, want := range map[float64][]string{3: {"present", "past"}, .01: {"past", "present"}} {
			hits := rank.Order(q, []rank.Candidate{found(q, 1, "past", 4), found(q, 2, "present", present)}, passages)
			if got := paths(hits); !slices.Equal(got, want) || isCapped && hits[0].Score < hits[1].Score {
				t.Errorf("%s, a present one with %v of the evidence: %q with %v and %v", status, present, got, hits[0].Score, hits[1].Score)
			}
		}
	}
}
