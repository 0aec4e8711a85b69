package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// beir writes a small collection in BEIR's form.
func beir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"corpus.jsonl":   "{\"_id\":\"d 1\",\"title\":\"One\",\"text\":\"first\"}\n\n{\"_id\":\"d2\",\"text\":\"second\"}\n{\"text\":\"\"}\n",
		"queries.jsonl":  "{\"_id\":\"q1\",\"text\":\"what\"}\n{\"_id\":\"q2\",\"text\":\"why\",\"metadata\":{}}\n{\"_id\":\"train\",\"text\":\"how\"}\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td 1\t2\nq1\td2\t0\r\nq2\td2\t1\n",
	} {
		if err := write(filepath.Join(dir, name), content); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadCollection_BEIR(t *testing.T) {
	t.Parallel()
	dir := beir(t)
	got, err := readCollection(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &collection{
		Name: filepath.Base(dir), Config: map[string]any{"documents": map[string]any{"folder": "docs", "lenient": true}},
		Documents: []document{
			{ID: "d 1", Title: "One", Text: "# One\n\nfirst", Path: "docs/d%201.md"}, {ID: "d2", Text: "second", Path: "docs/d2.md"},
		},
		Queries: []query{{ID: "q1", Text: "what"}, {ID: "q2", Text: "why"}},
		Judged:  map[string]judgements{"q1": {"d 1": 2, "d2": 0}, "q2": {"d2": 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each document is in one project, with the questions that it answers. A question that
// nothing answers is asked in one of them.
func TestMakeProjects_SharesOutDocumentsAndQuestions(t *testing.T) {
	t.Parallel()
	c, err := readCollection(beir(t))
	if err != nil {
		t.Fatal(err)
	}
	projects, err := task{c, []query{{ID: "other"}}}.makeProjects(t.TempDir(), 1)
	if err != nil || len(projects) != 2 {
		t.Fatalf("got %d projects and %v, want 2", len(projects), err)
	}
	asked := map[string]int{}
	for _, p := range projects {
		files, err := filepath.Glob(filepath.Join(p.root, "docs", "*.md"))
		if err != nil || len(files) != 1 {
			t.Errorf("%s has %v, want one document (%v)", p.root, files, err)
		}
		for _, q := range p.questions {
			asked[q.ID]++
			if file := "docs/" + filepath.Base(files[0]); q.ID != "other" && q.judged[file] <= 0 {
				t.Errorf("%s is asked of %s, which does not answer it", q.ID, file)
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"q1": 1, "q2": 1, "other": 1}, asked); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}
