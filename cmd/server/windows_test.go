package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A preview changes nothing, and a deletion lasts, in a window that was started for
// the project and has not been asked anything yet. The other windows say so.
func TestServe_DeletesInANewWindow(t *testing.T) {
	t.Parallel()
	root := newProject(t, nil)
	for _, name := range []string{"apples", "pears"} {
		write(t, root, promotable+name+".md", strings.ReplaceAll(problem, "%", "Ripe "+name))
	}
	environment := []string{
		"CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST=" + fakeollama.Start(t).URL(), "CDOCS_LOG_LEVEL=error",
	}
	first := openWindow(t, environment...)
	first.activate(t, root)
	for _, dryRun := range []bool{true, false} {
		unused := openWindow(t, append(slices.Clone(environment), "CLAUDE_PROJECT_DIR="+root)...)
		var counted struct {
			toolError
			Deleted     *int `json:"deleted_count"`
			WouldDelete *int `json:"would_delete_count"`
		}
		arguments := map[string]any{"project_name": "test-project", "dry_run": dryRun}
		if call(t, unused.session, "delete_documents", arguments, &counted) {
			t.Fatalf("delete_documents: %+v", counted.toolError)
		}
		number := counted.Deleted
		if dryRun {
			number = counted.WouldDelete
		}
		if number == nil || *number != 2 {
			t.Errorf("delete_documents with %v counts %+v, want 2", arguments, counted)
		}
		for _, w := range []*window{first, unused} {
			until(t, fmt.Sprintf("a window agrees, dry run %v", dryRun), patience, func() bool {
				answer := w.search(t)
				if dryRun {
					return slices.Equal(answer.titles(), []string{"apples", "pears"})
				}
				return answer.Code == "PROJECT_NOT_ACTIVATED" && strings.Contains(answer.Message, "was deleted with delete_documents") &&
					strings.Contains(answer.Message, "activate_project")
			})
		}
	}
	// The first call of another window that needs the project activates it, for all of them.
	last := openWindow(t, append(slices.Clone(environment), "CLAUDE_PROJECT_DIR="+root)...)
	for _, w := range []*window{last, first} {
		until(t, "the index is back", patience, func() bool { return slices.Equal(w.search(t).titles(), []string{"apples", "pears"}) })
	}
}

// testSeed is one by chance, or that of CDOCS_TEST_SEED, and is logged.
func testSeed(t *testing.T) (seed uint64) {
	t.Helper()
	seed = rand.Uint64()
	if text := os.Getenv("CDOCS_TEST_SEED"); text != "" {
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatal("CDOCS_TEST_SEED:", err)
		}
	}
	t.Logf("to repeat: CDOCS_TEST_SEED=%d go test ./cmd/server -run '%s'", seed, t.Name())
	return seed
}
