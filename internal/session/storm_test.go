package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/session"
	"github.com/compound-docs/compound-docs/internal/testenv"
	"github.com/compound-docs/compound-docs/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// size is the first number, or the second one in short tests.
func size(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// settling bounds the wait for an index. It is far below the five minutes after
// which a walk of the folder would make good what a test is to find.
const settling = 2 * time.Minute

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

// indexedDocuments is every document of a branch with its chunks, texts and
// links, one a line.
const indexedDocuments = `
	SELECT concat_ws(' ', d.collection, to_json(d.relative_path), encode(d.content_hash, 'hex'), d.chunk_count, d.promotion_level, d.line_count,
		(SELECT string_agg(concat_ws('/', c.ordinal, c.start_line, c.end_line, c.promotion_level, c.header_path,
				coalesce(md5(p.heading || p.content), 'NO PASSAGE')), ',' ORDER BY c.ordinal)
			FROM document_chunks c LEFT JOIN passages p
				ON p.collection = c.collection AND p.project_id = c.project_id AND p.hash = c.passage_hash
			WHERE c.project_id = d.project_id AND c.document_id = d.id),
		(SELECT string_agg(l.target_path, ',' ORDER BY l.ordinal) FROM document_links l
			WHERE l.project_id = d.project_id AND l.document_id = d.id))
	FROM documents d JOIN tenants t ON t.project_id = d.project_id AND t.id = d.tenant_id
	WHERE t.branch_name = $1 ORDER BY d.collection, d.relative_path COLLATE "C"`

func documents(t *testing.T, pool *pgxpool.Pool, branch string) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), indexedDocuments, branch)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// indexEqualsDisk waits until the branch's index is what a new index of the same
// files is: every path, hash, line range, passage and link.
func (f *fixture) indexEqualsDisk(t *testing.T, branch string) {
	t.Helper()
	want := f.freshIndex(t, branch)
	deadline := time.Now().Add(settling)
	for {
		diff := cmp.Diff(want, documents(t, f.pool, branch))
		if diff == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the index of %s never became what is on disk (-want +got):\n%.6000s", branch, diff)
		}
		time.Sleep(50 * time.Millisecond) // between two looks
	}
}

// freshIndex indexes the files as they are into a database of its own, and sees
// to it that this has every file of the docs folder with its hash.
func (f *fixture) freshIndex(t *testing.T, branch string) []string {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	databaseURL := testenv.DatabaseURL(t)
	database := db.NewDatabase(databaseURL, logger)
	defer database.Close()
	models, err := ollama.New(ollama.Config{Hosts: []string{f.fake.URL()}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := models.Close(); err != nil {
			t.Error(err)
		}
	}()
	fresh := session.New(rag.NewLibrary(database, models, models, logger), project.DefaultSettings(), f.configPath(), logger)
	defer fresh.Close()
	if _, err := fresh.Reindex(t.Context(), func(string) func(int, int) { return nil }); err != nil {
		t.Fatal(err)
	}
	pool, err := database.Pool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.checkFiles(t, pool)
	return documents(t, pool, branch)
}

// checkFiles compares paths and hashes with the files, without the code that
// walks folders.
func (f *fixture) checkFiles(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	want := []string{}
	root := filepath.Join(f.root, "csharp-compounding-docs")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name()[0] == '.' {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(name), ".md") || d.Name()[0] == '.' {
			return err
		}
		content, err := os.ReadFile(name)
		hash := sha256.Sum256(content)
		relative, _ := filepath.Rel(f.root, name)
		want = append(want, relative+" "+hex.EncodeToString(hash[:]))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pool.Query(t.Context(), `SELECT relative_path || ' ' || encode(content_hash, 'hex') FROM documents WHERE collection = 'compounding'`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("a new index does not hold the files (-want +got):\n%.3000s", diff)
	}
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

func (f *fixture) settle(t *testing.T, step string) {
	t.Helper()
	began := time.Now()
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
	t.Logf("%s: %v", step, time.Since(began).Round(time.Millisecond))
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
		hash := sha256.Sum256(fmt.Append(nil, i))
		deep += strings.Repeat(hex.EncodeToString(hash[:]), 3) + fmt.Sprint(i) + "/"
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
	defer func() { t.Logf("%+v", active.Status(context.Background())) }()
	eventually(t, "files with impossible names are reported", func() bool { return active.Status(t.Context()).FailedCount == 4 })
	if diff := cmp.Diff([]string{docs + "after.md"}, f.rows(t, `SELECT relative_path FROM documents WHERE title = 'After'`)); diff != "" {
		t.Errorf("others (-want +got):\n%s", diff)
	}
	for _, name := range append(bad, docs+"invalid-\xff-schema.md") {
		f.remove(t, name)
	}
	eventually(t, "and forgotten when they are gone", func() bool { return active.Status(t.Context()).Current() })
	for _, name := range names {
		f.remove(t, docs+name)
	}
	f.remove(t, docs+"folder with space")
	f.indexEqualsDisk(t, "main")
}

