package main_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// shared is a project that several windows have active, and what must be so.
type shared struct {
	root    string
	pool    *pgxpool.Pool
	windows []*window
	random  *rand.Rand

	// files are the documents on disk, by name; external of them are not the project's own.
	files    map[string]string
	external int
	// deleted is set from a deletion to the next activation.
	deleted bool
	// settled reports whether the windows agree with the disk. The next step clears it.
	settled bool
	// slowest is how long it took at most until all windows agreed.
	slowest time.Duration
	history []string
}

func newShared(t *testing.T, seed uint64, external bool) (s *shared, environment []string) {
	t.Helper()
	files := map[string]string{}
	s = &shared{files: map[string]string{}, random: rand.New(rand.NewPCG(seed, 14))}
	if external {
		files[".csharp-compounding-docs/config.json"] = `{"project_name": "test-project", "external_docs": {"path": "./manual"}}`
		files["manual/setup.md"], s.external = "# Setup\n\nInstall the server.\n", 1
	}
	s.root = newProject(t, files)
	databaseURL := testenv.DatabaseURL(t)
	environment = []string{
		"CDOCS_DATABASE_URL=" + databaseURL, "CDOCS_OLLAMA_HOST=" + fakeollama.Start(t).URL(), "CDOCS_LOG_LEVEL=error",
	}
	for i := range 4 {
		s.save(t, fmt.Sprint("first-", i))
	}
	for i := range 3 {
		own := environment
		if i > 0 { // as the plugin starts them
			own = append(slices.Clone(environment), "CLAUDE_PROJECT_DIR="+s.root)
		}
		s.windows = append(s.windows, openWindow(t, own...))
		if i == 0 {
			s.windows[0].activate(t, s.root)
		}
	}
	s.pool = indexstate.OpenPool(t, databaseURL)
	return s, environment
}

func (s *shared) save(t *testing.T, name string) {
	t.Helper()
	s.files[name] = fmt.Sprintf("---\ntitle: %s\ndate: 2026-01-02\nsummary: s\nsignificance: correctness\nproblem_type: bug\n"+
		"symptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n---\n\nWords number %d.\n", name, s.random.IntN(1000))
	write(t, s.root, promotable+name+".md", s.files[name])
}

func (s *shared) remove(t *testing.T, name string) {
	t.Helper()
	delete(s.files, name)
	if err := os.Remove(filepath.Join(s.root, promotable, name+".md")); err != nil {
		t.Fatal(err)
	}
}

// selection names this checkout in one of the ways there are.
func (s *shared) selection() map[string]any {
	arguments := map[string]any{"project_name": "test-project"}
	if s.random.IntN(2) == 0 {
		arguments["branch_name"] = "main"
	}
	if s.random.IntN(2) == 0 {
		root, _ := filepath.EvalSymlinks(s.root)
		arguments["path_hash"] = project.PathHash(root)
	}
	return arguments
}

// step does something at random in a window at random.
func (s *shared) step(t *testing.T) {
	t.Helper()
	at := s.random.IntN(len(s.windows))
	w := s.windows[at]
	note := func(what string) { s.history = append(s.history, fmt.Sprintf("%s in window %d", what, at)) }
	switch choice := s.random.IntN(10); {
	case choice < 2:
		note("delete")
		s.delete(t, w, false)
	case choice < 4:
		note("dry run")
		s.delete(t, w, true)
	case choice < 6:
		note("activate")
		var answer toolError
		if call(t, w.session, "activate_project", activation(s.root), &answer) {
			t.Fatalf("activate_project: %+v\n%s", answer, strings.Join(s.history, "\n"))
		}
		s.deleted = false
	case choice < 7:
		note("search")
		w.search(t)
	case choice < 8 && len(s.files) > 1:
		note("remove a file, search")
		s.remove(t, slices.Sorted(maps.Keys(s.files))[0])
		w.search(t)
	default:
		note("save a file, search")
		s.save(t, fmt.Sprint("doc-", s.random.IntN(8)))
		w.search(t)
	}
}

// delete compares what a deletion, or its preview, counts with what there is.
func (s *shared) delete(t *testing.T, w *window, dryRun bool) {
	t.Helper()
	arguments := s.selection()
	arguments["dry_run"] = dryRun
	var answer struct {
		toolError
		Deleted     *int `json:"deleted_count"`
		WouldDelete *int `json:"would_delete_count"`
	}
	if call(t, w.session, "delete_documents", arguments, &answer) {
		t.Fatalf("delete_documents: %+v\n%s", answer.toolError, strings.Join(s.history, "\n"))
	}
	want := len(s.files)
	if s.deleted {
		want = 0
	}
	counted := answer.Deleted
	if dryRun {
		counted = answer.WouldDelete
	}
	if counted == nil || s.settled && *counted != want {
		t.Fatalf("delete_documents with %v answers %+v, want %d\n%s", arguments, answer, want, strings.Join(s.history, "\n"))
	}
	s.deleted = s.deleted || !dryRun
}

// settle waits until all windows agree with each other and with the disk, or say that
// the index was deleted.
func (s *shared) settle(t *testing.T) {
	t.Helper()
	want := slices.Sorted(maps.Keys(s.files))
	started := time.Now()
	for i, w := range s.windows {
		var answer searchAnswer
		agrees := func() bool {
			answer = w.search(t)
			if s.deleted {
				return answer.Code == "PROJECT_NOT_ACTIVATED" && strings.Contains(answer.Message, "was deleted with delete_documents") &&
					strings.Contains(answer.Message, "activate_project")
			}
			return !answer.Error && answer.Index == nil && slices.Equal(answer.titles(), want)
		}
		for deadline := time.After(30 * time.Second); !agrees(); {
			select {
			case <-deadline:
				t.Fatalf("window %d answers %+v, want %q, deleted %v\n%s", i, answer, want, s.deleted, strings.Join(s.history, "\n"))
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	s.settled = true
	s.slowest = max(s.slowest, time.Since(started))
	documents := count(t, s.pool, `SELECT count(*) FROM documents WHERE collection = 'compounding'`)
	external := count(t, s.pool, `SELECT count(*) FROM documents WHERE collection = 'external'`)
	if s.deleted {
		want = nil
	}
	if documents != len(want) || external != s.external {
		t.Fatalf("the index holds %d documents and %d external ones, want %d and %d\n%s",
			documents, external, len(want), s.external, strings.Join(s.history, "\n"))
	}
}

// After any deletions, previews, activations and edits in any window, all windows come to the same
// answer: the files on disk, or that the index was deleted and how it comes back.
func TestServe_WindowsAgreeOnDeletions(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "files change at random while they are asked for")
	const steps = 40
	for name, external := range map[string]bool{"own documents": false, "external docs too": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := testSeed(t)
			s, environment := newShared(t, seed, external)
			s.settle(t)
			for range steps {
				for range 1 + s.random.IntN(2) {
					s.step(t)
					s.settled = false
				}
				s.settle(t)
			}
			t.Logf("all windows agreed after at most %s", s.slowest)
			s.windows[0].activate(t, s.root)
			s.deleted = false
			s.settle(t)
			fresh := testenv.IndexURL(t)
			syncWhole(t, s.root, append(slices.Clone(environment), "CDOCS_DATABASE_URL="+fresh)...)
			want := snapshot(t, indexstate.OpenPool(t, fresh))
			until(t, "the index equals a new one", time.Minute, func() bool {
				return slices.Equal(want, snapshot(t, s.pool))
			})
		})
	}
}

// A preview changes nothing, and a deletion lasts, in a window that was started for
// the project and has not been asked anything yet.
func TestServe_DeletesInANewWindow(t *testing.T) {
	t.Parallel()
	s, environment := newShared(t, 1, false)
	s.settle(t)
	unused := openWindow(t, append(slices.Clone(environment), "CLAUDE_PROJECT_DIR="+s.root)...)
	s.delete(t, unused, true)
	s.delete(t, unused, false)
	s.windows = append(s.windows, unused)
	s.settle(t)
	last := openWindow(t, append(slices.Clone(environment), "CLAUDE_PROJECT_DIR="+s.root)...)
	s.delete(t, last, true)
	s.settle(t)
	// Its first call that needs the project activates it, for all of them.
	last.search(t)
	s.deleted = false
	s.windows = append(s.windows, last)
	s.settle(t)
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
