package rag_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/relevance"
)

// asked is a document that answers a question, and withoutQuestions the same document.
func asked(level catalog.Level) document.File {
	return file("docs/pool.md", "---", "promotion_level: "+string(level), "questions:",
		"  - Why do nightly jobs wait for a free slot?", "  - What is a leak?", "---",
		"# Connection pool", "", "The pool was exhausted by leaked connections, so that jobs came late.")
}

func withoutQuestions(level catalog.Level) document.File {
	return atLevel("docs/pool.md", level, "# Connection pool", "",
		"The pool was exhausted by leaked connections, so that jobs came late.")
}

// crowd are documents about other things.
func crowd() (files []document.File) {
	for i := range 30 {
		files = append(files, file(fmt.Sprintf("docs/%d.md", i), fmt.Sprintf("# Topic %d", i), "", fmt.Sprintf("Lunch number%d was late.", i)))
	}
	return files
}

func hitOf(hits rag.Hits, path string) *rag.Hit {
	for _, list := range [][]rag.Hit{hits.Documents, hits.MayAnswer, hits.Closest, hits.Critical} {
		if i := slices.IndexFunc(list, func(hit rag.Hit) bool { return hit.Path == path }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// A question raises the score of its document beside the document's own words. The result cites the text.
func TestSearch_QuestionsCountBesideTheText(t *testing.T) {
	t.Parallel()
	for _, level := range []catalog.Level{catalog.Standard, catalog.Critical} {
		for _, mode := range rag.Modes() {
			query := rag.Query{Text: "nightly jobs wait for a slot while connections are leaked", Mode: mode}
			var hits [2]*rag.Hit
			for i, pool := range []document.File{withoutQuestions(level), asked(level)} {
				f := setup(t)
				f.Add(t, f.Tenant, append(crowd(), pool)...)
				_, found := f.found(t, query)
				if hits[i] = hitOf(found, "docs/pool.md"); hits[i] == nil {
					t.Fatalf("%s, %s: the document is not found", mode, level)
				}
			}
			if hits[1].Score <= hits[0].Score {
				t.Errorf("%s, %s: the question changes the score from %v to %v", mode, level, hits[0].Score, hits[1].Score)
			}
			type shown struct{ snippet, content string }
			if diff := cmp.Diff(shown{hits[0].Snippet, hits[0].Content}, shown{hits[1].Snippet, hits[1].Content}, cmp.AllowUnexported(shown{})); diff != "" {
				t.Errorf("%s, %s: what is shown (-without +with questions):\n%s", mode, level, diff)
			}
		}
	}
}

// A prompt that is near to a question alone gets no answer, and neither does a line of a pasted text.
func TestSearch_QuestionAloneIsNoEvidence(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, append(crowd(), asked(catalog.Standard))...)
	question := "why do nightly ones wait for a free slot"
	for _, mode := range rag.Modes() {
		for _, query := range []rag.Query{
			{Text: question, Mode: mode},
			{Text: question, Mode: mode, Unasked: true},
			{Text: question, Mode: mode, EachPassage: true},
		} {
			query.MinScore = .5
			_, found := f.found(t, query)
			if hit := hitOf(found, "docs/pool.md"); hit == nil || hit.Score >= .5 || strings.Contains(hit.Content, "nightly") || hit.Line != "" {
				t.Errorf("%+v finds %+v", query, hit)
			}
		}
	}
}

// A question that a document lists counts as its title does, also in a project of one document.
func TestSearch_QuestionWordForWordIsAnswered(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, asked(catalog.Standard))
	for _, mode := range rag.Modes() {
		_, found := f.found(t, rag.Query{Text: "why do nightly jobs wait for a FREE slot", Mode: mode})
		if hit := hitOf(found, "docs/pool.md"); hit == nil || hit.Score < relevance.Asked || strings.Contains(hit.Content, "nightly") {
			t.Errorf("%s: found %+v", mode, hit)
		}
	}
}

// A question finds its document though no passage of the text is near, and whatever passages it has.
func TestSearch_QuestionFindsTheBestPassage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	head := []string{"---", "questions: [Why do nightly jobs wait for a free slot?]", "---", "# Connection pool"}
	f.Add(t, f.Tenant, append(crowd(), file("docs/pool.md", append(head, section("Trees", "apples"), section("Cause", "connections"))...))...)
	for _, mode := range rag.Modes() {
		_, found := f.found(t, rag.Query{Text: "nightly free slot of connections", Mode: mode})
		hit := hitOf(found, "docs/pool.md")
		if hit == nil || hit.HeaderPath != "## Cause" {
			t.Errorf("%s: found %+v, want the section on connections", mode, hit)
			continue
		}
		passages, err := f.Searcher.Passages(t.Context(), found, []int64{hit.ID})
		if err != nil {
			t.Fatal(err)
		}
		if len(passages) != 2 || passages[1].LogOdds != hit.LogOdds {
			t.Errorf("%s: the passages are %+v, want both sections, the second with the log-odds %v", mode, passages, hit.LogOdds)
		}
	}
}

// Questions go with their document.
func TestQuestions_GoWithTheDocument(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, asked(catalog.Important))
	const questions = `SELECT c.ordinal || ' ' || c.promotion_level || ' ' || p.promoted || ' ' || p.content
		FROM document_chunks c JOIN passages p ON p.hash = c.passage_hash WHERE c.ordinal < 0 ORDER BY c.ordinal`
	want := []string{"-2 important true Why do nightly jobs wait for a free slot?", "-1 important true What is a leak?"}
	if diff := cmp.Diff(want, f.Rows(t, questions)); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	f.Add(t, f.Tenant, withoutQuestions(catalog.Important))
	if got := f.Rows(t, questions); len(got) > 0 {
		t.Errorf("after an edit without questions there are %q", got)
	}
}
