package workspace_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/model"
)

// index_document names, by words alone, the original of a paraphrase. There are 30 documents. Each
// paraphrase has a third of the sentences, and each sentence lacks a third of its words. The
// original is among the neighbours of at least nine in ten.
func TestNeighbours_OfAParaphraseHaveTheOriginal(t *testing.T) {
	t.Parallel()
	const seed, paraphrases = 29, 30
	files, originals := map[string]string{}, []string{}
	corpus := os.DirFS("../../test/eval/corpus")
	err := fs.WalkDir(corpus, "csharp-compounding-docs", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		content, err := fs.ReadFile(corpus, name)
		files[name] = string(content)
		originals = append(originals, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(originals), func(i, j int) { originals[i], originals[j] = originals[j], originals[i] })
	again := func(i int) string { return fmt.Sprintf("csharp-compounding-docs/problems/again-%d.md", i) }
	f := setup(t, files)
	for i, name := range originals[:paraphrases] {
		f.Put(again(i), problem(fmt.Sprintf("Note %d", i), paraphrase(random, files[name])))
	}
	s := f.serverWith(t, f.databaseURL, model.Config{Host: "http://127.0.0.1:1", RetryDelay: time.Millisecond})
	active, err := s.Activate(t.Context(), f.configPath(), "main")
	f.Must(err)
	active.WaitSynced(t.Context(), nil)
	found := 0
	for i, name := range originals[:paraphrases] {
		near, err := active.Neighbours(t.Context(), again(i), s.Searcher())
		f.Must(err)
		if len(near) > 3 || slices.ContainsFunc(near, func(hit rag.Hit) bool { return hit.Path == again(i) }) {
			t.Errorf("%d neighbours of %s, or it is one of its own", len(near), again(i))
		}
		if slices.ContainsFunc(near, func(hit rag.Hit) bool { return hit.Path == name }) {
			found++
		}
	}
	t.Logf("%d of %d", found, paraphrases)
	if found < paraphrases*9/10 {
		t.Errorf("the original is a neighbour of %d of %d paraphrases", found, paraphrases)
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
