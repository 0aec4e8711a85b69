package workspace_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// size is the first number, or the second one in short tests.
func size(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// numbered is a document whose bytes are like no other's, while few passages are
// shared by all: a storm is of files, not of vectors.
func numbered(i int, note string) string {
	text := strings.Repeat(fmt.Sprintf("Some words about matter %d.\n", i%40), 1+i%5)
	if i%9 == 0 {
		text += fmt.Sprintf("\n## Details\n\nSee [the next](doc-%05d.md).\n\n## More\n\n%s", i+1, strings.Repeat("A long tail of words.\n", 120))
	}
	lines := strings.SplitN(problem(fmt.Sprintf("Matter %d", i%40), text), "\n", 3)
	return lines[0] + "\n" + lines[1] + "\n" + fmt.Sprintf("component: %s %d\n", note, i) + strings.Repeat("# a comment\n", i%3) + lines[2]
}

func (f *fixture) rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(f.root, to)), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(f.root, from), filepath.Join(f.root, to)); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(f.root, name)); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) commit(t *testing.T, message string) {
	t.Helper()
	f.git(t, "add", "-A")
	f.git(t, "commit", "-q", "-m", message)
}

func TestStorm_Checkout(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range size(2000, 200) {
		files[fmt.Sprintf("%spart%d/doc-%05d.md", docs, i%20, i)] = numbered(i, "main")
	}
	f := setup(t, files)
	f.git(t, "init", "-q", "-b", "main")
	f.commit(t, "main")
	f.git(t, "switch", "-q", "-c", "other")
	i := 0
	for name := range files {
		switch i++; i % 10 {
		case 0:
			f.remove(t, name)
		case 1:
			f.rename(t, name, docs+"moved/"+path.Base(name))
		default:
			f.write(t, name, numbered(i, "other"))
		}
	}
	f.commit(t, "other")
	f.git(t, "switch", "-q", "main")
	f.activate(t, f.server(t), "main")
	f.indexEqualsDisk(t, "main")

	f.git(t, "switch", "-q", "other")
	f.indexEqualsDisk(t, "other")
	f.git(t, "switch", "-q", "main")
	f.indexEqualsDisk(t, "main")
	// The same change of files without a change of branch.
	f.git(t, "merge", "-q", "other")
	f.indexEqualsDisk(t, "main")
	f.git(t, "reset", "-q", "--hard", "HEAD~1")
	f.indexEqualsDisk(t, "main")
}

// As editors save: in place, by a new file in the old one's place, and by moving
// the old one away first.
func TestStorm_EditorsSave(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{})
	saves := []func(name, content string){
		func(name, content string) { f.write(t, name, content) },
		func(name, content string) {
			temporary := path.Join(path.Dir(name), "."+path.Base(name)+".swp")
			f.write(t, temporary, content)
			f.rename(t, temporary, name)
		},
		func(name, content string) {
			temporary := name + ".tmp.12345"
			f.write(t, temporary, content)
			f.rename(t, temporary, name)
		},
		func(name, content string) {
			f.rename(t, name, name+"~")
			f.write(t, name, content)
			f.remove(t, name+"~")
		},
		func(name, content string) {
			f.remove(t, name)
			f.write(t, name, content)
		},
	}
	name := func(i int) string { return fmt.Sprintf("%sdoc-%05d.md", docs, i) }
	for i := range 4 * len(saves) {
		f.write(t, name(i), numbered(i, "before"))
	}
	f.activate(t, f.server(t), "main")
	for round := range 10 {
		for i := range 4 * len(saves) {
			saves[i%len(saves)](name(i), numbered(i+round, "after"))
		}
	}
	f.indexEqualsDisk(t, "main")
}

func TestStorm_BurstOfCreates(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "first.md": problem("First", "Text.")})
	f.activate(t, f.server(t), "main")
	for i := range size(10_000, 2_000) {
		f.write(t, fmt.Sprintf("%sburst%d/doc-%05d.md", docs, i%7, i), numbered(i, "burst"))
	}
	f.indexEqualsDisk(t, "main")
	f.remove(t, docs+"burst3")
	f.write(t, docs+"burst4/doc-00004.md", problem("Edited", "After the burst."))
	f.indexEqualsDisk(t, "main")
}

// Every move is followed by a save in the folder: what has been moved must still
// be watched.
func TestStorm_FoldersMove(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{docs + "stays.md": problem("Stays", "Text.")})
	for i := range 30 {
		f.write(t, fmt.Sprintf("%sa/b/c%d/doc-%05d.md", docs, i%3, i), numbered(i, "moving"))
	}
	f.activate(t, f.server(t), "main")
	for i, step := range []struct {
		name string
		do   func()
		save string
	}{
		{"renamed", func() { f.rename(t, docs+"a", docs+"z") }, docs + "z/b/c1/saved.md"},
		{"renamed back", func() { f.rename(t, docs+"z", docs+"a") }, docs + "a/b/c1/saved.md"},
		{"a deep one renamed", func() { f.rename(t, docs+"a/b/c0", docs+"c0") }, docs + "c0/doc-00000.md"},
		{"moved out", func() { f.rename(t, docs+"a", "elsewhere") }, docs + "stays.md"},
		{"changed and moved in", func() {
			f.write(t, "elsewhere/b/c2/doc-00002.md", numbered(77, "outside"))
			f.rename(t, "elsewhere", docs+"a")
		}, docs + "a/b/c2/saved.md"},
		{"hidden", func() { f.rename(t, docs+"a", docs+".a") }, docs + "stays.md"},
		{"shown", func() { f.rename(t, docs+".a", docs+"a") }, docs + "a/b/saved.md"},
		{"removed and made anew", func() { f.remove(t, docs+"a") }, docs + "a/b/c1/doc-00001.md"},
		{"swapped", func() {
			f.rename(t, docs+"a", docs+"swap")
			f.rename(t, docs+"c0", docs+"a")
			f.rename(t, docs+"swap", docs+"c0")
		}, docs + "c0/b/c1/doc-00001.md"},
		{"the doc-type's folder renamed", func() { f.rename(t, docs, "csharp-compounding-docs/away") }, docs + "stays.md"},
		{"the docs folder moved out", func() { f.rename(t, "csharp-compounding-docs", "gone") }, "gone/problems/stays.md"},
		{"the docs folder moved in", func() { f.rename(t, "gone", "csharp-compounding-docs") }, docs + "saved.md"},
		{"the docs folder removed and made anew", func() { f.remove(t, "csharp-compounding-docs") }, docs + "a/b/saved.md"},
	} {
		step.do()
		if _, err := os.Stat(filepath.Join(f.root, "csharp-compounding-docs/away")); err == nil {
			f.remove(t, "csharp-compounding-docs/away") // of no doc-type
		}
		f.settle(t, step.name)
		f.write(t, step.save, numbered(100+i, "saved"))
		f.settle(t, step.name+", then saved in")
	}
}

// settle waits for the index after a step.
func (f *fixture) settle(t *testing.T, step string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("the step was: %s", step)
		}
	}()
	if _, err := os.Stat(filepath.Join(f.root, "csharp-compounding-docs")); err != nil {
		eventually(t, step+": the index is empty", func() bool { return len(documents(t, f.pool, "main")) == 0 })
		return
	}
	f.indexEqualsDisk(t, "main")
}

func TestStorm_DeletedWhileIndexed(t *testing.T) {
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
	f.write(t, docs+"deleted.md", problem("Deleted", "Deleted while it is embedded."))
	f.write(t, docs+"edited.md", problem("Edited", "Edited while it is embedded."))
	f.write(t, docs+"moved.md", problem("Moved", "Moved while it is embedded."))
	<-held
	f.remove(t, docs+"deleted.md")
	f.write(t, docs+"edited.md", problem("Edited", "The newer text."))
	f.rename(t, docs+"moved.md", docs+"arrived.md")
	close(release)
	f.indexEqualsDisk(t, "main")
}

func TestStorm_Names(t *testing.T) {
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
		"with space.md", " leading.md", "trailing .md", "tab\there.md", "new\nline.md", "\n.md", "carriage\rreturn.md",
		"-rf.md", "--help.md", "ünï-çødé-文書-🚀.md", "e\u0301-combining.md", "\u202eright-to-left.md", "back\\slash.md", "quote'\"`.md",
		"%20percent.md", "#hash?.md", "star*[a]{b}.md", "$(touch x);&|.md", "a:b.md", "~tilde.md", "..md.md", "UPPER.MD", long + ".md",
		"folder with space/-dash/new\nline/ünï.md", "dir.md/inner.md",
	}
	f := setup(t, map[string]string{docs + "first.md": problem("First", "Text.")})
	s := f.server(t)
	active := f.activate(t, s, "main")
	for i, name := range names {
		f.write(t, docs+name, numbered(i, "first"))
	}
	f.indexEqualsDisk(t, "main")
	for i, name := range names {
		f.write(t, docs+name, numbered(i+1, "second"))
	}
	f.indexEqualsDisk(t, "main")

	// Names that no text column takes are told of, and stop nobody else.
	bad := []string{docs + "invalid\xff.md", docs + "inv\xfe/alid.md", deep + "deep.md"}
	for _, name := range bad {
		f.write(t, name, problem("Bad name", "Text."))
	}
	f.write(t, docs+"invalid-\xff-schema.md", "# No front matter\n")
	f.write(t, docs+"after.md", problem("After", "Text."))
	eventually(t, "files with impossible names are reported", func() bool { return active.Status(t.Context()).FailedCount == 4 })
	if diff := cmp.Diff([]string{docs + "after.md"}, f.rows(t, `SELECT relative_path FROM documents WHERE title = 'After'`)); diff != "" {
		t.Errorf("others (-want +got):\n%s", diff)
	}
	for _, name := range append(bad, docs+"inv\xfe", docs+"invalid-\xff-schema.md") {
		f.remove(t, name)
	}
	eventually(t, "and forgotten when they are gone", func() bool { return active.Status(t.Context()).Current() })
	for _, name := range names {
		f.remove(t, docs+name)
	}
	f.remove(t, docs+"folder with space")
	f.indexEqualsDisk(t, "main")
}

// A config that changes while nothing can be done about it is not forgotten.
func TestStorm_ConfigChangesWhileTheDatabaseFails(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{"manual/a.md": "# A\n\nText.\n"})
	f.activate(t, f.server(t), "main")
	lock, err := f.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback(context.Background()) //nolint:errcheck // it is rolled back by then, or the test has failed
	if _, err := lock.Exec(t.Context(), `LOCK TABLE projects`); err != nil {
		t.Fatal(err)
	}
	f.write(t, ".csharp-compounding-docs/config.json", `{"project_name": "test-project", "external_docs": {"path": "./manual"}}`)
	eventually(t, "the new config meets a database that fails", func() bool {
		return len(f.rows(t, `WITH waiting AS MATERIALIZED (
				SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')
			SELECT pid::text FROM waiting WHERE pg_cancel_backend(pid)`)) > 0
	})
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the config is followed", func() bool {
		return len(f.rows(t, `SELECT relative_path FROM documents WHERE collection = 'external'`)) == 1
	})
}
