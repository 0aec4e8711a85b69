package wordvec_test

import (
	"math"
	"testing"

	"github.com/compound-docs/compound-docs/rag/wordvec"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	if got := wordvec.NewQuery("Restore a backup").Compare("restore a backup, a backup"); math.Abs(got.Sum()-2) > .05 || got.Pieces != 4 {
		t.Errorf("the same words have %g, want 2, and %d pieces, want 4", got.Sum(), got.Pieces)
	}
	for _, texts := range [][2]string{{"", "a text"}, {"a question", ""}, {"", ""}, {"\x00", "\xff"}} {
		if got := wordvec.NewQuery(texts[0]).Compare(texts[1]).Sum(); got != 0 {
			t.Errorf("%q has %g, want 0", texts, got)
		}
	}
	const page = "Accessibility. Focus moves into a modal when it opens. Escape calls onDismiss, if open is not controlled."
	near := wordvec.NewQuery("why does my dialog not close with the keyboard?").Compare(page).Sum()
	if far := wordvec.NewQuery("what are the database migrations for?").Compare(page).Sum(); near < .55 || far > .45 {
		t.Errorf("the page is %g near its question, and %g near another", near, far)
	}
}

// Words that stand everywhere hardly count.
func TestCompare_WordsOfQuestions(t *testing.T) {
	t.Parallel()
	const page = "How do I get what is in the box?"
	if got := wordvec.NewQuery("how do I get the Kubernetes ingress").Compare(page).Sum(); got > .6 {
		t.Errorf("words of a question have %g", got)
	}
}
