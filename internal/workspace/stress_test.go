package workspace_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// size is the first number, or the second one in short tests.
func size(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// numbered is a document whose bytes are like no other's, by a comment in its front
// matter, while few passages are shared by all: the stress is of files, not of vectors.
func numbered(i int, note string) string {
	text := strings.Repeat(fmt.Sprintf("Some words about matter %d.\n", i%40), 1+i%5)
	if i%9 == 0 {
		text += fmt.Sprintf("\n## Details\n\nSee [the next](doc-%05d.md).\n\n## More\n\n%s", i+1, strings.Repeat("A long tail of words.\n", 120))
	}
	lines := strings.SplitN(problem(fmt.Sprintf("Matter %d", i%40), text), "\n", 3)
	return lines[0] + "\n" + lines[1] + "\n" + fmt.Sprintf("# %s %d\n", note, i) + strings.Repeat("# a comment\n", i%3) + lines[2]
}

func TestStress_Checkout(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "hundreds of files change at once")
	files := map[string]string{}
	for i := range size(2000, 200) {
		files[fmt.Sprintf("%spart%d/doc-%05d.md", docs, i%20, i)] = numbered(i, "main")
	}
	f := setup(t, files)
	f.Git("init", "-q", "-b", "main")
	f.Commit()
	f.Git("switch", "-q", "-c", "other")
	i := 0
	for name := range files {
		switch i++; i % 10 {
		case 0:
			f.Remove(name)
		case 1:
			f.Rename(name, docs+"moved/"+path.Base(name))
		default:
			f.Put(name, numbered(i, "other"))
		}
	}
	f.Commit()
	f.Git("switch", "-q", "main")
	f.activate(t, f.server(t), "main")
	f.indexEqualsDisk(t, "main")

	f.Git("switch", "-q", "other")
	f.indexEqualsDisk(t, "other")
	f.Git("switch", "-q", "main")
	f.indexEqualsDisk(t, "main")
	// The same change of files without a change of branch.
	f.Git("merge", "-q", "other")
	f.indexEqualsDisk(t, "main")
	f.Git("reset", "-q", "--hard", "HEAD~1")
	f.indexEqualsDisk(t, "main")
}

func TestStress_DeletedWhileIndexed(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "stays.md": problem("Stays", "Text.")})
	f.activate(t, f.server(t), "main")

	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.fake.Observe(func(r *http.Request) {
		if r.URL.Path == "/api/embed" {
			once.Do(func() {
				close(held)
				<-release
			})
		}
	})
	f.Put(docs+"deleted.md", problem("Deleted", "Deleted while it is embedded."))
	f.Put(docs+"edited.md", problem("Edited", "Edited while it is embedded."))
	f.Put(docs+"moved.md", problem("Moved", "Moved while it is embedded."))
	<-held
	f.Remove(docs + "deleted.md")
	f.Put(docs+"edited.md", problem("Edited", "The newer text."))
	f.Rename(docs+"moved.md", docs+"arrived.md")
	close(release)
	f.indexEqualsDisk(t, "main")
}

func TestStress_Names(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 126) // 252 bytes of the 255 that a name may have
	deep := docs
	for i := range 16 { // longer than an index entry of PostgreSQL may be
		for j := range 3 {
			hash := sha256.Sum256(fmt.Append(nil, i, j))
			deep += hex.EncodeToString(hash[:])
		}
		deep += "/"
	}
	names := []string{
		"with space.md", " leading.md", "trailing .md",
		"-rf.md", "--help.md", "ünï-çødé-文書-🚀.md", "\u00e9-composed.md", "back\\slash.md", "quote'\"`.md",
		"%20percent.md", "#hash?.md", "star*[a]{b}.md", "$(touch x);&|.md", "a:b.md", "~tilde.md", "..md.md", "UPPER.MD", long + ".md",
		"folder with space/-dash/ünï.md", "dir.md/inner.md",
	}
	f := setup(t, map[string]string{docs + "first.md": problem("First", "Text.")})
	s := f.server(t)
	active := f.activate(t, s, "main")
	for i, name := range names {
		f.Put(docs+name, numbered(i, "first"))
	}
	f.indexEqualsDisk(t, "main")
	for i, name := range names {
		f.Put(docs+name, numbered(i+1, "second"))
	}
	f.indexEqualsDisk(t, "main")

	// Names that no text column takes, or that do not print, are told of, and stop nobody else.
	bad := []string{
		docs + "invalid\xff.md", docs + "inv\xfe/alid.md", deep + "deep.md", docs + "tab\there.md", docs + "new\nline.md",
		docs + "\n.md", docs + "carriage\rreturn.md", docs + "\u202eright-to-left.md",
	}
	for _, name := range bad {
		f.Put(name, problem("Bad name", "Text."))
	}
	f.Put(docs+"invalid-\xff-schema.md", "# No front matter\n")
	f.Put(docs+"after.md", problem("After", "Text."))
	eventually(t, "files with impossible names are reported", func() bool { return active.Status().FailedCount == 9 })
	eventually(t, "a document after them is indexed", func() bool {
		return slices.Equal(f.rows(t, `SELECT relative_path FROM documents WHERE title = 'After'`), []string{docs + "after.md"})
	})
	for _, name := range append(bad, docs+"inv\xfe", docs+"invalid-\xff-schema.md") {
		f.Remove(name)
	}
	eventually(t, "and forgotten when they are gone", func() bool { return active.Status().Current() })
	for _, name := range names {
		f.Remove(docs + name)
	}
	f.Remove(docs + "folder with space")
	f.indexEqualsDisk(t, "main")
}

// A config that changes while nothing can be done about it is not forgotten.
func TestStress_ConfigChangesWhileTheDatabaseFails(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"manual/a.md": "# A\n\nText.\n"})
	f.activate(t, f.server(t), "main")
	lock, err := f.pool.Begin(t.Context())
	f.Must(err)
	defer lock.Rollback(context.Background()) //nolint:errcheck // it is rolled back by then, or the test has failed
	if _, err := lock.Exec(t.Context(), `LOCK TABLE projects`); err != nil {
		t.Fatal(err)
	}
	f.Put(".csharp-compounding-docs/config.json", `{"project_name": "test-project", "external_docs": {"path": "./manual"}}`)
	eventually(t, "the new config meets a database that fails", func() bool {
		return len(f.rows(t, `WITH waiting AS MATERIALIZED (
				SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')
			SELECT pid::text FROM waiting WHERE pg_cancel_backend(pid)`)) > 0
	})
	f.Must(lock.Rollback(t.Context()))
	eventually(t, "the config is followed", func() bool {
		return len(f.rows(t, `SELECT relative_path FROM documents WHERE collection = 'external'`)) == 1
	})
}
