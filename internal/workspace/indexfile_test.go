package workspace_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

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

func indexedPaths(t *testing.T, f *fixture) []string {
	t.Helper()
	return f.rows(t, `SELECT relative_path FROM documents ORDER BY relative_path COLLATE "C"`)
}
