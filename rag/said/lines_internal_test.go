package said

import "testing"

// A line that a pattern matches must not be left out before.
func TestLines_NoneIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"ADR-0012", "See RFC#007.", "2 pages on decision 12", "dr_3", "EIP1559", "In 2026 PEP 8 holds", "éadr 12", "(SIMD  0096)", "ERC-20",
	} {
		if !mentioned().MatchString(line) || !namesDecision(line) {
			t.Errorf("%q names no decision", line)
		}
	}
	for _, line := range []string{"* **Status:** draft", "STATUT : accepté", "| ÉTAT | valide |", "Estado – vigente"} {
		if !statusLine().MatchString(line) || !namesStatus(line) {
			t.Errorf("%q names no status", line)
		}
	}
	if line := "Tags: #status/draft"; !statusTag().MatchString(line) || !namesStatus(line) {
		t.Errorf("%q names no status", line)
	}
	if line := "In 2026 container12 has 3 pods"; namesDecision(line) {
		t.Errorf("%q names a decision", line)
	}
}
