package pgversion

import "testing"

func TestAtLeast(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version, oldest string
		want            bool
	}{
		{"0.8.3", SoundPgvector, false},
		{"0.8.4", SoundPgvector, true},
		{"0.8.10", SoundPgvector, true},
		{"0.9", SoundPgvector, true},
		{"1.0.0", SoundPgvector, true},
		{"0.8", OldestPgvector, true},
		{"0.7.9", OldestPgvector, false},
		{"15.18", OldestPostgreSQL, true},
		{"18beta1", OldestPostgreSQL, true},
		{"14.22", OldestPostgreSQL, false},
		{"", OldestPgvector, false},
	} {
		if got := AtLeast(test.version, test.oldest); got != test.want {
			t.Errorf("%q is at least %q: %t", test.version, test.oldest, got)
		}
	}
	if got := Major("17.5"); got != 17 {
		t.Errorf("17.5 has the major version %d", got)
	}
}
