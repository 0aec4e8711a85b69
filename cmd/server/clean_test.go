package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// newCheckout makes a project in a git repository on main, with one document
// about the subject.
func newCheckout(t *testing.T, name, subject string) *gitrepo.Repo {
	t.Helper()
	repo := gitrepo.New(t)
	root, err := filepath.EvalSymlinks(repo.Root)
	repo.Must(err)
	repo.Root = root
	repo.Put(configPath, fmt.Sprintf(`{"project_name": %q}`, name))
	repo.Put("csharp-compounding-docs/problems/one.md", strings.ReplaceAll(problem, "%", subject))
	repo.Git("init", "-q", "-b", "main")
	repo.Commit()
	return repo
}

// sixWeeksLater makes everything as if it was last used six weeks ago.
func sixWeeksLater(t *testing.T, environment []string) {
	t.Helper()
	databaseURL, _ := strings.CutPrefix(environment[0], "CDOCS_DATABASE_URL=")
	conn, err := pgx.Connect(t.Context(), databaseURL)
	must(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE tenants
		SET last_seen = last_seen - interval '42 days', lease_until = lease_until - interval '42 days'`)
	must(t, err)
	must(t, conn.Close(t.Context()))
}

// found searches a project that another server may have indexed by its vectors, when
// there are all.
func found(t *testing.T, root string, environment []string, query string) (paths []string, failed toolError) {
	t.Helper()
	session := connect(t, server(t, append(environment, "CLAUDE_PROJECT_DIR="+root)...))
	w := &window{session: session}
	until(t, "everything is embedded", patience, func() bool {
		index := w.index(t)
		return index == nil || index.Pending+index.Embedding == 0
	})
	result := struct {
		toolError
		Results []struct {
			Path string `json:"path"`
		} `json:"results"`
	}{}
	call(t, session, "semantic_search", map[string]any{"query": query, "mode": "vector", "min_relevance_score": 0}, &result)
	for _, r := range result.Results {
		paths = append(paths, r.Path)
	}
	must(t, session.Close())
	return paths, result.toolError
}

func TestClean_OfThisMachinesCheckouts(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	mustIndex := func(root string) {
		t.Helper()
		if paths, failed := found(t, root, environment, "slow"); len(paths) != 1 {
			t.Fatalf("%s has %v in its index, want one document: %+v", root, paths, failed)
		}
	}
	repo := newCheckout(t, "kept", "printers")
	kept, removed := repo.Root, newCheckout(t, "removed", "pools").Root
	mustIndex(kept)
	mustIndex(removed)
	repo.Git("switch", "-q", "-c", "feature/labels")
	repo.Put("csharp-compounding-docs/problems/one.md", strings.ReplaceAll(problem, "%", "labels"))
	repo.Commit()
	mustIndex(kept)
	repo.Git("switch", "-q", "--detach", "main")
	mustIndex(kept)
	sixWeeksLater(t, environment)
	lastUsed := time.Now().Add(-42 * 24 * time.Hour).Format(time.DateOnly)

	o := mustRun(t, "", environment, "clean")
	if diff := cmp.Diff("removed 0 checkouts with 0 documents, 0 passages and 0 projects\n", o.stdout); diff != "" {
		t.Errorf("with every checkout in its place (-want +got):\n%s", diff)
	}

	repo.Git("switch", "-q", "main")
	repo.Git("branch", "-D", "feature/labels")
	must(t, os.RemoveAll(removed))
	report := func(verb string) string {
		return fmt.Sprintf(`kept, branch HEAD, in %s: 1 document, the repository has no such branch
kept, branch feature/labels, in %s: 1 document, the repository has no such branch
removed, branch main, in %s: 1 document, not on this machine, and not used since %s
kept: 2 passages that no document uses
removed: 2 passages that no document uses
removed: the project has no document left
%s 3 checkouts with 3 documents, 4 passages and 1 project
`, kept, kept, removed, lastUsed, verb)
	}
	for _, arguments := range [][]string{{"clean", "--dry-run"}, {"clean", "--dry-run", "--grace-days", "41"}} {
		o = mustRun(t, "", environment, arguments...)
		if diff := cmp.Diff(report("would remove"), o.stdout); diff != "" {
			t.Errorf("%v (-want +got):\n%s", arguments, diff)
		}
	}
	// A repository that is not here may be a colleague's.
	o = mustRun(t, "", environment, "clean", "--dry-run", "--grace-days", "43")
	if strings.Contains(o.stdout, "removed, branch main") || !strings.HasSuffix(o.stdout, "would remove 2 checkouts with 2 documents, 2 passages and 0 projects\n") {
		t.Errorf("with a longer grace period it says %q, want the repository to be kept", o.stdout)
	}

	// An index that a server keeps stays, even if its repository lacks the branch.
	session := connect(t, server(t, append(environment, "CLAUDE_PROJECT_DIR="+kept)...))
	var answer struct{ toolError }
	call(t, session, "semantic_search", map[string]any{"query": "printers"}, &answer)
	o = mustRun(t, "", environment, "clean")
	if diff := cmp.Diff(report("removed"), o.stdout); diff != "" {
		t.Errorf("clean (-want +got):\n%s", diff)
	}
	repo.Git("branch", "feature/labels")
	must(t, os.Rename(kept, kept+".away"))
	o = mustRun(t, "", environment, "clean", "--grace-days", "0")
	want := fmt.Sprintf("kept, branch main, in %s: kept, because a server uses it\n"+
		"removed 0 checkouts with 0 documents, 0 passages and 0 projects\n", kept)
	if diff := cmp.Diff(want, o.stdout); diff != "" {
		t.Errorf("clean beside a server (-want +got):\n%s", diff)
	}
	must(t, os.Rename(kept+".away", kept))
	must(t, session.Close())
	// The removed branch comes back.
	repo.Git("switch", "-q", "feature/labels")
	mustIndex(kept)
}
