package hooks

import (
	"strings"
	"testing"
)

// A prompt names a document by its title, or by several words of it in their order, unless these are general.
func TestNamedBy(t *testing.T) {
	t.Parallel()
	const title = "Database connection pool exhausted by the webhook dispatcher"
	for _, test := range []struct {
		prompt, name, want string
		whole              bool
	}{
		{"look at \"database connection-pool exhausted by the WEBHOOK dispatcher\"!", title, "database connection pool exhausted webhook dispatcher", true},
		{"is the connection pool too small?", title, "connection pool", false},
		{"the pool of this connection", title, "", false},
		{"restart the dispatcher", title, "", false},
		{"what is Litestream?", "Litestream", "litestream", true},
		{"write a commit message", "Commit messages", "", false},
		{"which error message says so?", "An error message says what to do next", "", false},
		{"run the tests", "Tests", "", false},
		{"", title, "", false},
		{"why?", "", "", false},
	} {
		run, whole := namedBy(spaced(contentWords(test.prompt)), test.name)
		if strings.TrimSpace(run) != test.want || whole != test.whole {
			t.Errorf("%q names %q by %q, %v", test.prompt, test.name, run, whole)
		}
	}
}

// A title of one word is named only where it is written as a name.
func TestIsQuoted(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]bool{
		"add some logging":           false,
		"Logging does not work here": false,
		"see Logging before you go":  true,
		"read `logging` first":       true,
		`what does "logging" say?`:   true,
	} {
		if got := isQuoted(prompt, "Logging"); got != want {
			t.Errorf("%q: got %t", prompt, got)
		}
	}
}
