package rag

import "testing"

func TestNextStep(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                              string
		useful, made, loading, impossible bool
		want                              step
	}{
		{name: "made", useful: true, made: true, want: compareVector},
		{name: "made, and nothing to compare it with", made: true, want: needNoVector},
		{name: "late", useful: true, loading: true, impossible: true, want: lackVector},
		{name: "late, and nothing to compare it with", loading: true, impossible: true, want: needNoVector},
		{name: "impossible", useful: true, impossible: true, want: lackVector},
		{name: "impossible, and nothing to compare it with", impossible: true, want: lackVector},
		{name: "another error", useful: true, want: failSearch},
		{name: "another error, and nothing to compare it with", want: failSearch},
	} {
		if got := nextStep(test.useful, test.made, test.loading, test.impossible); got != test.want {
			t.Errorf("%s: step %d, want %d", test.name, got, test.want)
		}
	}
}
