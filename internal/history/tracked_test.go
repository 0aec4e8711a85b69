package history

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamed(t *testing.T) {
	t.Parallel()
	repo := newRepository(t)
	for _, name := range []string{"src/deep/er/keys.py", "src/keys.py", "src/other_keys.py", "keys.py"} {
		repo.Put(name, "x\n")
	}
	commit(repo, "2026-01-02T03:04:05Z")
	repo.Put("src/new/keys.py", "not tracked\n")
	for dir, want := range map[string]string{".": "keys.py src/keys.py src/deep/er/keys.py", "src": "keys.py deep/er/keys.py"} {
		same, err := Named(t.Context(), repo.Path(dir), "keys.py")
		repo.Must(err)
		if diff := cmp.Diff(want, strings.Join(same, " ")); diff != "" {
			t.Errorf("in %s (-want +got):\n%s", dir, diff)
		}
	}
}
