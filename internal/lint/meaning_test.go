package lint_test

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// vector returns a random vector whose coordinates have a mean: with 0 two vectors are
// about orthogonal.
func vector(random *rand.Rand, mean float64) []float32 {
	v := make([]float32, 1024)
	for i := range v {
		v[i] = float32(random.NormFloat64() + mean)
	}
	return v
}

// nearTo returns a vector at a cosine of about 1 - share²/2.
func nearTo(random *rand.Rand, v []float32, share float32) []float32 {
	other := vector(random, 0)
	for i := range other {
		other[i] = v[i] + share*other[i]
	}
	return other
}

const meaningNotLookedFor = "near-duplicates in other words were not looked for: "

func TestRun_ComparesVectors(t *testing.T) {
	t.Parallel()
	const said = "insights/d.md:1: warning near-duplicate: it says nearly the same as " + docs +
		"insights/b.md (cosine 0.98); merge them, or have the newer one supersede the other"
	d := insight("d", "", "See [a](a.md).")
	for _, test := range []struct {
		name   string
		d      string // the document
		change func(means map[string]index.Mean)
		want   []string
		note   string
	}{
		{"the same in other words", d, func(map[string]index.Mean) {}, []string{said}, ""},
		{"a document that supersedes the other", insight("d", "supersedes: b.md\n", "See [a](a.md)."), func(map[string]index.Mean) {}, []string{}, ""},
		{"a document that was changed since", d, func(means map[string]index.Mean) {
			changed := means[docs+"insights/d.md"]
			changed.Hash = sha256.Sum256(nil)
			means[docs+"insights/d.md"] = changed
		}, []string{}, ""},
		{"words that are the same", insight("d", "", prose+" See [a](a.md) and the pools."), func(map[string]index.Mean) {}, []string{
			"insights/d.md:1: warning near-duplicate: 81 % of its words are those of " + docs +
				"insights/b.md; merge them, or have the newer one supersede the other",
		}, ""},
		{"too few vectors", d, func(means map[string]index.Mean) {
			clear(means)
		}, []string{}, meaningNotLookedFor + "the index has vectors of 0 documents as they are now"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repo := planted(t)
			repo.Put(docs+"insights/a.md", insight("a", "", "See [b](b.md), [c](../codebase/c.md) and [d](d.md)."))
			repo.Put(docs+"insights/d.md", test.d)
			means := meansOf(repo)
			test.change(means)
			report := run(t, repo.Root, func(context.Context) (map[string]index.Mean, error) { return means, nil })
			if diff := cmp.Diff(test.want, lines(report)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if report.NoVectors != test.note {
				t.Errorf("note %q, want %q", report.NoVectors, test.note)
			}
		})
	}
}

// meansOf returns vectors of the planted documents and of insights/d.md, which is near
// insights/b.md.
func meansOf(repo *gitrepo.Repo) map[string]index.Mean {
	random := rand.New(rand.NewPCG(3, 4))
	means := map[string]index.Mean{}
	for _, path := range []string{"insights/a.md", "insights/b.md", "codebase/c.md", "insights/d.md"} {
		content, err := os.ReadFile(repo.Path(docs + path))
		repo.Must(err)
		v := vector(random, 0)
		if path == "insights/d.md" {
			v = nearTo(random, means[docs+"insights/b.md"].Vector, 0.2)
		}
		means[docs+path] = index.Mean{Hash: sha256.Sum256(content), Vector: v}
	}
	return means
}

func TestRun_SaysThatVectorsAreMissing(t *testing.T) {
	t.Parallel()
	report := run(t, planted(t).Root, noMeans)
	if len(report.Findings) > 0 || !strings.HasPrefix(report.NoVectors, meaningNotLookedFor+"no database runs") {
		t.Errorf("findings %v, note %q", report.Findings, report.NoVectors)
	}
}

// run returns the report of a repository with a valid configuration.
func run(t *testing.T, root string, means lint.Means) lint.Report {
	t.Helper()
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	report, err := lint.Run(t.Context(), p, means)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
