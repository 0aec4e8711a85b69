package workspace

import (
	"log/slog"
	"testing"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/await"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A config that is edited after it was loaded, and before it is in force, is followed:
// also if it names another project, or has an error that is corrected later.
func TestReplace_FollowsAnEditSinceTheConfigWasLoaded(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(testenv.IndexURL(t), logger)
	t.Cleanup(database.Close)
	models, err := ollama.New(ollama.Config{Host: fakeollama.Start(t).URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := models.Close(); err != nil {
			t.Error(err)
		}
	})
	searcher := rag.NewSearcher(database, models)
	w := New(index.New(database, models, logger), searcher, answer.New(database, searcher, models, logger), project.DefaultSettings(), "", logger)
	t.Cleanup(w.Close)
	const first = `{"project_name": "first"}`
	for name, edited := range map[string]string{
		"a setting":       `{"project_name": "first", "retrieval": {"max_results": 7}}`,
		"another project": `{"project_name": "second"}`,
		"an error":        `{"project_name": `,
	} {
		repo := gitrepo.New(t)
		repo.Put(".csharp-compounding-docs/config.json", first)
		p, err := w.load(repo.Root)
		if err != nil {
			t.Fatal(err)
		}
		repo.Put(".csharp-compounding-docs/config.json", edited)
		if err := w.beginSwitch(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err = w.replace(t.Context(), p, keyOf(p, "main"), false)
		w.endSwitch()
		if err != nil {
			t.Fatal(err)
		}
		want, problem := w.load(repo.Root)
		await.Until(t, name+" is followed", func() bool {
			active := w.current()
			if latest := active.latest.Load(); problem != nil {
				return latest != nil && latest.problem != nil
			}
			return active.Definition.Same(want)
		})
	}
}
