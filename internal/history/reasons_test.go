package history

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const because = "The pool was shared by all tenants, and one of them took every connection at night.\nNow each has its own."

func TestReasons(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	lines := strings.Split(strings.Repeat("a line\n", 20), "\n")
	for i, message := range []string{
		"db: first\n\n" + because, "db: no reason", "db: signed\n\nSigned-off-by: Somebody With A Name <somebody@example.com>\n" +
			"Reviewed-by: Somebody Else With A Longer Name <somebody-else@example.com>", "db: second\n\n" + because,
	} {
		lines[i*5] = message
		repo.Put("src/db/pool.go", strings.Join(lines, "\n"))
		repo.Put("src/other.go", message)
		repo.Git("add", "-A")
		repo.Git("commit", "-q", "-m", message, "--date", "2026-01-02T03:04:05Z")
	}
	for _, tt := range []struct {
		name, dir, file string
		first, last     int
		want            string
	}{
		{"a file", ".", "src/db/pool.go", 0, 0, "db: second, db: first"},
		{"a file below", "src", "db/pool.go", 0, 0, "db: second, db: first"},
		{"lines", ".", "src/db/pool.go", 1, 2, "db: first"},
		{"no file", ".", "src/none.go", 0, 0, ""},
	} {
		reasons, err := open(t, repo.Path(tt.dir)).Reasons(t.Context(), tt.file, tt.first, tt.last)
		repo.Must(err)
		var subjects []string
		for _, r := range reasons {
			subjects = append(subjects, r.Subject)
			want := "The pool was shared by all tenants, and one of them took every connection at night."
			if r.Text != want || r.Date != "2026-01-02" || len(r.Commit) < 7 {
				t.Errorf("%s: %+v", tt.name, r)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(subjects, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestReasons_AreFew(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	for i := range maxReasons + 2 {
		repo.Put("a.go", strings.Repeat("x", i+1))
		repo.Git("add", "-A")
		repo.Git("commit", "-q", "-m", "a\n\n"+because)
	}
	reasons, err := open(t, repo.Root).Reasons(t.Context(), "a.go", 0, 0)
	if err != nil || len(reasons) != maxReasons {
		t.Errorf("%d reasons, %v", len(reasons), err)
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	for _, name := range []string{"src/deep/er/keys.py", "src/keys.py", "src/other_keys.py", "keys.py"} {
		repo.Put(name, "x\n")
	}
	commit(repo, "2026-01-02T03:04:05Z")
	repo.Put("src/new/keys.py", "not tracked\n")
	for dir, want := range map[string]string{".": "keys.py src/keys.py src/deep/er/keys.py", "src": "keys.py deep/er/keys.py"} {
		same, err := open(t, repo.Path(dir)).Named(t.Context(), "keys.py")
		repo.Must(err)
		if diff := cmp.Diff(want, strings.Join(same, " ")); diff != "" {
			t.Errorf("in %s (-want +got):\n%s", dir, diff)
		}
	}
}
