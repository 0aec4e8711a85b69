package index

import "testing"

// Vectors that were made while others were written are written together, but not without
// a bound.
func TestWithMade_TakesWhatIsReady(t *testing.T) {
	t.Parallel()
	made := make(chan []vector, 2*maxMade)
	for range maxMade + 2 {
		made <- make([]vector, 3)
	}
	if first := withMade(make([]vector, 1), made); len(first) != 1+3*maxMade {
		t.Errorf("%d vectors are written together, want %d", len(first), 1+3*maxMade)
	}
	close(made)
	if rest := withMade(nil, made); len(rest) != 2*3 {
		t.Errorf("%d vectors are left, want 6", len(rest))
	}
}
