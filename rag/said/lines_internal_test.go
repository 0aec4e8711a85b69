package said

import "testing"

// A line that a pattern matches must not be left out before.
func TestLines_NoneIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"* **Status:** draft", "STATUT : accepté", "| ÉTAT | valide |", "Estado – vigente"} {
		if !statusLine().MatchString(line) || !namesStatus(line) {
			t.Errorf("%q names no status", line)
		}
	}
	if line := "Tags: #status/draft"; !statusTag().MatchString(line) || !namesStatus(line) {
		t.Errorf("%q names no status", line)
	}
}
