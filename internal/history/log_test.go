package history

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// newRepository returns a repository without a commit.
func newRepository(t *testing.T) *gitrepo.Repo {
	t.Helper()
	repo := gitrepo.New(t)
	repo.Git("init", "-q", "-b", "main")
	return repo
}

// commit commits everything, with a date as its author's clock had it.
func commit(repo *gitrepo.Repo, date string) {
	repo.Git("add", "-A")
	repo.Git("commit", "-q", "-m", "work", "--date", date)
}

// added asks for the dates of a folder at the present commit.
func added(t *testing.T, repo *gitrepo.Repo, dir string) map[string]string {
	t.Helper()
	dates, err := open(t, repo.Path(dir)).Added(t.Context(), head(t, repo))
	repo.Must(err)
	return dates
}

func TestAdded(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	repo.Put("docs/a.md", "A\n")
	repo.Put("docs/deep/ä b\n.md", "B\n")
	repo.Put("docs/renamed.md", "C\n")
	repo.Put("README.md", "D\n")
	commit(repo, "2020-01-02T23:30:00-0800")
	repo.Put("docs/a.md", "changed\n")
	repo.Rename("docs/renamed.md", "docs/deep/c.md")
	repo.Rename("README.md", "docs/readme.md")
	commit(repo, "2021-03-04T00:10:00+0900")
	repo.Git("switch", "-q", "-c", "side")
	repo.Put("docs/side.md", "E\n")
	commit(repo, "2022-01-01T12:00:00Z")
	repo.Git("switch", "-q", "main")
	repo.Rename("docs/deep/c.md", "docs/last.md")
	repo.Put("docs/renamed.md", "another\n")
	commit(repo, "2023-01-01T12:00:00Z")
	repo.Git("merge", "-q", "--no-edit", "side")
	repo.Put("docs/new.md", "not committed\n")
	want := map[string]string{
		"a.md": "2020-01-02", "deep/ä b\n.md": "2020-01-02", "last.md": "2020-01-02", "readme.md": "2021-03-04",
		"side.md": "2022-01-01", "renamed.md": "2023-01-01",
	}
	if diff := cmp.Diff(want, added(t, repo, "docs")); diff != "" {
		t.Errorf("dates (-want +got):\n%s", diff)
	}
	wantDeep := map[string]string{"ä b\n.md": "2020-01-02", "c.md": "2021-03-04"}
	if diff := cmp.Diff(wantDeep, added(t, repo, "docs/deep")); diff != "" {
		t.Errorf("dates in a folder further below (-want +got):\n%s", diff)
	}
	whole := added(t, repo, ".")
	if whole["docs/a.md"] != "2020-01-02" || whole["docs/readme.md"] != "2020-01-02" {
		t.Errorf("in the whole repository: %v", whole)
	}
}

func TestHead_SaysWhyThereIsNoCommit(t *testing.T) {
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("outside a repository: %v, want ErrNone", err)
	}
	folder := open(t, newRepository(t).Root)
	if commit, err := folder.Head(t.Context()); !errors.Is(err, ErrNone) {
		t.Errorf("without a commit: %q, %v, want ErrNone", commit, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := folder.Head(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("for a caller that does not wait: %v, want context.Canceled", err)
	}
	t.Setenv("PATH", "/nowhere")
	if _, err := folder.Head(t.Context()); !errors.Is(err, ErrNone) {
		t.Errorf("without git: %v, want ErrNone", err)
	}
}

// Variables that point git elsewhere, as in a hook of git, do not reach it.
func TestHead_IgnoresTheEnvironment(t *testing.T) {
	repo := newRepository(t)
	repo.Commit()
	folder := open(t, repo.Root)
	t.Setenv("GIT_DIR", t.TempDir())
	if _, err := folder.Head(t.Context()); err != nil {
		t.Error(err)
	}
}

// tracer is a program that leaves a trace, and signs what it is given.
type tracer struct{ path, trace string }

func newTracer(t *testing.T) tracer {
	t.Helper()
	x := tracer{path: filepath.Join(t.TempDir(), "program"), trace: filepath.Join(t.TempDir(), "trace")}
	text := "#!/bin/sh\n: >'" + x.trace + "'\ncase \"$*\" in *--status-fd*) cat >/dev/null ;; esac\n" +
		"printf -- '-----BEGIN PGP SIGNATURE-----\\n-----END PGP SIGNATURE-----\\n'\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\n"
	if err := os.WriteFile(x.path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return x
}

// ran reports whether the program has run since it was last asked.
func (x tracer) ran() bool { return os.Remove(x.trace) == nil }

// Programs that a repository's configuration names do not run.
func TestAdded_RunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	for name, configure := range map[string]func(repo *gitrepo.Repo, program string){
		"gpg.program": func(repo *gitrepo.Repo, program string) {
			repo.Git("-c", "gpg.program="+program, "commit", "-q", "--amend", "--no-edit", "-S")
			repo.Git("config", "gpg.program", program)
			repo.Git("config", "log.showSignature", "true")
		},
		"a fetch of what a partial clone lacks": func(repo *gitrepo.Repo, program string) {
			for key, value := range map[string]string{
				"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.url": repo.Root,
				"remote.origin.promisor": "true", "remote.origin.uploadpack": program,
			} {
				repo.Git("config", key, value)
			}
			tree, err := exec.Command("git", "-C", repo.Root, "rev-parse", "HEAD:docs").Output()
			repo.Must(err)
			repo.Remove(".git/objects/" + string(tree[:2]) + "/" + strings.TrimSpace(string(tree[2:])))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, repo := newTracer(t), newRepository(t)
			repo.Put("docs/a.md", "A\n")
			commit(repo, "2020-01-02T12:00:00Z")
			configure(repo, program.path)
			program.ran()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_ = exec.CommandContext(ctx, "git", "-C", repo.Root, "log", "--name-status").Run() // it may fail
			if !program.ran() {
				t.Fatal("git does not run the program at all")
			}
			if _, err := open(t, repo.Path("docs")).Added(t.Context(), head(t, repo)); program.ran() {
				t.Errorf("the program has run (%v)", err)
			}
		})
	}
}
