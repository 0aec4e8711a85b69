package scaffold

import (
	"fmt"
	"slices"
	"testing"
)

// The time grows with the files, not with their square.
func TestPlaces_OfManyFiles(t *testing.T) {
	t.Parallel()
	files := []string{"src/one/NOTES.txt", "lib/only/README.md"}
	for i := range maxEntries {
		files = append(files, fmt.Sprintf("src/package%d/README.md", i))
	}
	s := survey{}
	want := []string{"src/one/NOTES.txt", "lib/only/README.md", "src/*/*.md"}
	if got := s.places(files); !slices.Equal(got, want) {
		t.Errorf("the places are %q, want %q", got, want)
	}
}
