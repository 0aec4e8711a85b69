package lint_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

func staged(t *testing.T, root string) lint.Report {
	t.Helper()
	report := run(t, root)
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Staged(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return report
}

// Before a commit only what it changes counts, and a new document is shown what is near it.
func TestStaged_IsWhatTheNextCommitChanges(t *testing.T) {
	t.Parallel()
	repo := planted(t)
	repo.Put(docs+"insights/a.md", insight("a", "", "See [gone](gone.md)."))
	repo.Put(docs+"codebase/c.md", strings.Replace(codebase("src/pool.go"), "a.md", "none.md", 1))
	repo.Put(docs+"insights/new.md", insight("new", "", "Workers wait on a shared advisory lock overnight. See [a](a.md)."))
	repo.Git("add", docs+"codebase/c.md", docs+"insights/new.md")
	report := staged(t, repo.Root)
	want := []string{
		"codebase/c.md:1: notice orphan: no document links to it, and it links to none",
		"codebase/c.md:12: error broken-link: there is no " + docs + "insights/none.md",
		"insights/new.md:10: notice one-way-link: " + docs + "insights/a.md does not link back",
	}
	if diff := cmp.Diff(want, lines(report)); diff != "" || report.Documents != 2 {
		t.Errorf("%d documents (-want +got):\n%s", report.Documents, diff)
	}
	if len(report.Neighbours) != 1 || report.Neighbours[0].Path != docs+"insights/new.md" ||
		report.Neighbours[0].Near[0].Path != docs+"insights/b.md" || report.Neighbours[0].Near[0].StartLine != 10 {
		t.Errorf("neighbours %+v, want b.md of new.md alone", report.Neighbours)
	}
}

// Of 30 documents of the evaluation set with a third of their sentences, each with a third of
// its words left out, the original is among the three nearest of at least nine in ten.
func TestStaged_NamesTheOriginalOfAParaphrase(t *testing.T) {
	t.Parallel()
	const paraphrases = 30
	repo := gitrepo.New(t)
	if err := os.CopyFS(repo.Root, os.DirFS("../../test/eval/corpus")); err != nil {
		t.Fatal(err)
	}
	repo.Put(config, `{"project_name": "paraphrased"}`)
	repo.Git("init", "-q")
	repo.Git("add", "-A")
	repo.Git("commit", "-q", "-m", "work")
	originals, err := filepath.Glob(repo.Path(docs + "*/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(29, 29))
	random.Shuffle(len(originals), func(i, j int) { originals[i], originals[j] = originals[j], originals[i] })
	of := map[string]string{}
	for i, original := range originals[:paraphrases] {
		name, err := filepath.Rel(repo.Root, original)
		if err != nil {
			t.Fatal(err)
		}
		again := fmt.Sprintf("%sinsights/again-%d.md", docs, i)
		repo.Put(again, insight(fmt.Sprintf("Note %d", i), "", paraphrase(random, repo.Read(name))))
		of[again] = filepath.ToSlash(name)
	}
	repo.Git("add", "-A")
	found := 0
	for _, neighbours := range staged(t, repo.Root).Neighbours {
		if len(neighbours.Near) > 3 {
			t.Errorf("%s has %d neighbours", path.Base(neighbours.Path), len(neighbours.Near))
		}
		if slices.ContainsFunc(neighbours.Near, func(near lint.Near) bool { return near.Path == of[neighbours.Path] }) {
			found++
		}
	}
	t.Logf("%d of %d", found, paraphrases)
	if found < paraphrases*9/10 {
		t.Errorf("the original is near %d of %d paraphrases", found, paraphrases)
	}
}

// paraphrase returns some of a document's sentences, without its titles, with some of
// their words.
func paraphrase(random *rand.Rand, content string) string {
	_, body, _ := strings.Cut(strings.TrimPrefix(content, "---\n"), "\n---\n")
	var kept []string
	for sentence := range strings.SplitSeq(body, ". ") {
		if strings.HasPrefix(strings.TrimSpace(sentence), "#") || random.IntN(3) > 0 {
			continue
		}
		words := slices.DeleteFunc(strings.Fields(sentence), func(string) bool { return random.IntN(3) == 0 })
		kept = append(kept, strings.Join(words, " "))
	}
	return strings.Join(kept, ". ")
}
