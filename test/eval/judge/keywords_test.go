package main

import "testing"

func TestKeywords(t *testing.T) {
	t.Parallel()
	frequencies := map[string]int{"the": 90, "pool": 7, "max_conns": 1, "full": 3}
	for text, want := range map[string]string{
		"Why is the Pool full, with max_conns of 4?": "full max_conns",
		"the pool of the pools":                      "the pool",
		"nothing known here":                         "nothing known here",
	} {
		if got := keywords(text, frequencies, 2); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
