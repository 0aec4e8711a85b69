package lint_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/docset/lint"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// contradictory returns the pairs that lint finds in a repository, as paths in the folder of
// the documents, the later first.
func contradictory(t *testing.T, root string) (pairs []string) {
	t.Helper()
	report := run(t, root)
	for _, f := range report.Findings {
		if f.Check != "contradictory" {
			continue
		}
		other := regexp.MustCompile(`^it may contradict (\S+):\d+ `).FindStringSubmatch(f.Message)
		if other == nil || f.Severity != lint.Notice {
			t.Fatalf("a finding is %+v", f)
		}
		pairs = append(pairs, strings.TrimPrefix(f.Path, docs)+" "+strings.TrimPrefix(other[1], docs))
	}
	return pairs
}

func TestContradictions_AreAboutTheSame(t *testing.T) {
	t.Parallel()
	const text = "Workers renew the advisory lock of a queue every thirty seconds, since a shorter lease was lost in long collections of garbage."
	const contrary = "Workers renew the advisory lock of a queue every five seconds: long leases kept a queue waiting for a worker that had died."
	later := strings.Replace(insight("b", "", contrary), "2026-01-02", "2026-02-02", 1)
	for name, tt := range map[string]struct {
		b    string
		want []string
	}{
		"a later one":           {later, []string{"insights/b.md insights/a.md"}},
		"of the same day":       {insight("b", "", contrary), nil},
		"which supersedes it":   {strings.Replace(later, "summary: s", "summary: s\nsupersedes: [a.md]", 1), nil},
		"about something else":  {strings.Replace(later, contrary, "Reports are printed on paper of the size A4, in colour, and signed by the officer on duty.", 1), nil},
		"with fields in common": {strings.Replace(later, contrary, "s", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gitrepo.New(t)
			repo.Put(config, `{"project_name": "p"}`)
			repo.Put(docs+"insights/a.md", insight("a", "", text))
			repo.Put(docs+"insights/b.md", tt.b)
			if diff := cmp.Diff(tt.want, contradictory(t, repo.Root)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Planted contradictions are found beside the documents of the evaluation set, and of these
// hardly any two.
func TestContradictions_FindPlantedOnes(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	if err := os.CopyFS(repo.Root, os.DirFS("../../../test/eval/corpus")); err != nil {
		t.Fatal(err)
	}
	repo.Put(config, `{"project_name": "p"}`)
	innocent := contradictory(t, repo.Root)
	var planted []string
	for i, c := range ragtest.Contradictions(t) {
		name := fmt.Sprintf("insights/planted-%d.md", i)
		repo.Put(docs+name, strings.Replace(insight(c.Title, "", c.Text), "summary: s\n", "summary: "+c.Title+"\n", 1))
		planted = append(planted, name+" "+c.Of)
	}
	found := contradictory(t, repo.Root)
	named := 0
	for _, pair := range planted {
		if slices.Contains(found, pair) {
			named++
		} else {
			t.Logf("not found: %s", pair)
		}
	}
	var beside []string // a planted one and a document that another one contradicts
	for _, pair := range found {
		if strings.Contains(pair, "planted") && !slices.Contains(planted, pair) {
			beside = append(beside, pair)
		}
	}
	got := fmt.Sprintf("%d of %d planted pairs are found, with %d others of planted documents %v; %d of documents that do not contradict each other %v",
		named, len(planted), len(beside), beside, len(innocent), innocent)
	t.Log(got)
	if named < len(planted)*9/10 || len(innocent) > 2 || len(beside) > 4 {
		t.Error(got)
	}
}
