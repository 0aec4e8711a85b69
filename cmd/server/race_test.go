package main_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// holdFirstEmbedding makes the next request for an embedding wait. held is closed
// when it has come, and release lets it go on.
func (s *suspension) holdFirstEmbedding() (held <-chan struct{}, release func()) {
	came, released := make(chan struct{}), make(chan struct{})
	var first sync.Once
	s.fake.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			first.Do(func() {
				close(came)
				<-released
			})
		}
	})
	return came, sync.OnceFunc(func() { close(released) })
}

// indexDocument calls index_document in the background. Whether the tool succeeds
// depends on the moment.
func (w *window) indexDocument(t *testing.T, calls *sync.WaitGroup, path string) {
	t.Helper()
	calls.Go(func() {
		if _, err := w.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "index_document", Arguments: map[string]any{"path": path}}); err != nil {
			t.Error(err)
		}
	})
}

// A file changes while index_document has it embedded. What the call writes later
// is not the outdated version.
func TestServe_IndexDocumentLeavesNothingOutdated(t *testing.T) {
	t.Parallel()
	changes := map[string]func(t *testing.T, s *suspension) (want []string){
		"the file goes back": func(t *testing.T, s *suspension) []string {
			t.Helper()
			s.save(t, "pears", "Ripe pears")
			return []string{"apples", "pears", "plums"}
		},
		"the file is deleted": func(t *testing.T, s *suspension) []string {
			t.Helper()
			s.remove(t, "pears")
			return []string{"apples", "plums"}
		},
	}
	for what, change := range changes {
		for caller, who := range []string{"in the window that indexes", "in another window"} {
			t.Run(what+", "+who, func(t *testing.T) {
				t.Parallel()
				s := newSuspension(t)
				held, release := s.holdFirstEmbedding()
				t.Cleanup(release)
				s.save(t, "pears", "Rotten pears")
				var calls sync.WaitGroup
				s.windows[caller].indexDocument(t, &calls, "problems/pears.md")
				<-held
				want := change(t, s)
				time.Sleep(time.Second) // the windows see the change, and act on it if nothing holds them
				release()
				calls.Wait()
				s.settled(t, s.windows, want...)
				s.equalToDisk(t)
			})
		}
	}
}

// Files change at random while two windows index them and one of them watches: the
// index becomes what is on disk.
func TestServe_IndexDocumentInRandomOrder(t *testing.T) {
	t.Parallel()
	const rounds, steps = 3, 20
	random := rand.New(rand.NewPCG(testSeed(t), 12))
	s := newSuspension(t)
	files := map[string]bool{"apples": true, "pears": true, "plums": true}
	names := slices.Sorted(maps.Keys(files))
	put := func(name string, version int) {
		s.save(t, name, fmt.Sprintf("Version %d", version))
		files[name] = true
	}
	for range rounds {
		var calls sync.WaitGroup
		for range steps {
			name := names[random.IntN(len(names))]
			switch random.IntN(8) {
			case 0:
				if files[name] {
					s.remove(t, name)
					files[name] = false
				}
			case 1, 2:
				put(name, 0)
			case 3:
				put(name, random.IntN(1000))
			default:
				s.windows[random.IntN(2)].indexDocument(t, &calls, "problems/"+name+".md")
			}
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) // the random moment
		}
		calls.Wait()
		fresh := testenv.DatabaseURL(t)
		syncWhole(t, s.root, "CDOCS_DATABASE_URL="+fresh, s.ollama)
		want := snapshot(t, indexstate.OpenPool(t, fresh))
		var got []string
		until(t, "the index equals the files", time.Minute, func() bool {
			got = snapshot(t, s.pool)
			return cmp.Equal(want, got)
		})
	}
}
