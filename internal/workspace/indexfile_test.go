package workspace_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

// A file changes while index_document embeds it. The server that indexes has handled the change
// long before the embedding comes.
func TestIndexFile_LeavesNothingOutdated(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(t *testing.T, f *fixture)
	}{
		{"goes back", func(t *testing.T, f *fixture) {
			t.Helper()
			f.Put(docs+"a.md", problem("A", "The first version."))
		}},
		{"is deleted", func(t *testing.T, f *fixture) {
			t.Helper()
			f.Remove(docs + "a.md")
		}},
		{"becomes invalid", func(t *testing.T, f *fixture) {
			t.Helper()
			f.Put(docs+"a.md", "# No front matter\n")
		}},
	}
	for _, test := range tests {
		for _, follower := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, follower %t", test.name, follower), func(t *testing.T) {
				t.Parallel()
				f := setup(t, map[string]string{docs + "a.md": problem("A", "The first version."), docs + "b.md": problem("B", "Other.")})
				f.Git("init", "-q", "-b", "main")
				leader := f.activate(t, f.server(t), "main")
				caller := leader
				if follower {
					caller = f.activate(t, f.server(t), "main")
				}
				// The first embedding, of the old version, is held up.
				held, release, first := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
				first <- struct{}{}
				f.fake.Observe(func(r *http.Request) {
					if r.URL.Path != "/api/embed" {
						return
					}
					select {
					case <-first:
						close(held)
						<-release
					default:
					}
				})
				// The leader waits as long as git changes files; the call does not.
				f.Put(".git/index.lock", "")
				f.Put(docs+"a.md", problem("A", "The second version."))
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_, _ = caller.IndexFile(t.Context(), docs+"a.md") // whether it succeeds is not the question
				}()
				<-held
				test.change(t, f)
				f.Put(docs+"b.md", problem("B", "After the change."))
				f.Remove(".git/index.lock")
				eventually(t, "the leader has seen to what came after the change", func() bool {
					return len(f.rows(t, `SELECT content FROM passages p JOIN document_chunks c ON c.passage_hash = p.hash
						WHERE content = 'After the change.'`)) == 1 && leader.Status().Pending() == 0
				})
				close(release)
				<-ended
				if test.name == "becomes invalid" {
					if paths := indexedPaths(t, f); !slices.Equal(paths, []string{docs + "b.md"}) {
						t.Errorf("the index holds %v, want the valid document", paths)
					}
					return
				}
				f.indexEqualsDisk(t, "main")
			})
		}
	}
}

// A client on Windows may speak to a server on another system.
func TestIndexFile_TakesBackslashes(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "a.md": problem("A", "Text.")})
	p := f.activate(t, f.server(t), "main")
	for given, want := range map[string]string{
		`csharp-compounding-docs\problems\a.md`:   docs + "a.md",
		`.\csharp-compounding-docs\problems\a.md`: docs + "a.md",
		`problems\a.md`: docs + "a.md",
	} {
		if got, err := p.IndexFile(t.Context(), given); err != nil || got.Path != want {
			t.Errorf("IndexFile(%s) = %s (%v), want %s", given, got.Path, err, want)
		}
	}
	for _, outside := range []string{`..\a.md`, `csharp-compounding-docs\..\..\a.md`} {
		if _, err := p.IndexFile(t.Context(), outside); apierror.AsError(err).Code != apierror.InvalidArgument {
			t.Errorf("IndexFile(%s): %v, want %s", outside, err, apierror.InvalidArgument)
		}
	}
}

// Writers, index_document in two servers and the leader all write: in the end the index equals the
// disk.
func TestIndexFile_RandomOrder(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	names := []string{docs + "a.md", docs + "b.md", docs + "c.md"}
	version := func(i int) string { return problem("Version", fmt.Sprintf("This is version %d.", i)) }
	f := setup(t, map[string]string{names[0]: version(0), names[1]: version(0), names[2]: version(0)})
	servers := []*workspace.Project{f.activate(t, f.server(t), "main"), f.activate(t, f.server(t), "main")}
	delays := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	f.fake.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			mu.Lock()
			delay := time.Duration(delays.IntN(60)) * time.Millisecond
			mu.Unlock()
			time.Sleep(delay) // as long as an embedding takes
		}
	})
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		var calls sync.WaitGroup
		for range 20 {
			name := names[random.IntN(len(names))]
			switch random.IntN(8) {
			case 0:
				f.Remove(name)
			case 1, 2:
				f.Put(name, version(0))
			case 3:
				f.Put(name, version(random.IntN(1000)))
			default:
				server := servers[random.IntN(len(servers))]
				calls.Go(func() {
					if _, err := server.IndexFile(context.WithoutCancel(t.Context()), name); err != nil {
						code := apierror.AsError(err).Code
						if code != apierror.DocumentNotFound && code != apierror.FileSystemError && code != apierror.SchemaValidationFailed {
							t.Errorf("seed %d: index %s: %v", seed, name, err)
						}
					}
				})
			}
			time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond) // the random moment
		}
		calls.Wait()
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(f.Root, name)); err != nil {
				f.Put(name, version(0))
			}
		}
		f.indexEqualsDisk(t, "main")
	}
}
