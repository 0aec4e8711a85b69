package said

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

func TestQuotes(t *testing.T) {
	t.Parallel()
	parsed, err := markdown.Parse([]byte("---\ntitle: T\nsolution: use `make up`\n---\n\nRun `c d` instead. It prints \"no such host here\". Do not use\n`g\nh` here.\n\n" +
		"Run:\n\n```sh\n$ l m\n```\n\nOr so:\n\n    i j\n\n- `c d` again\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"make up", "no such host here", "c d", "g h", "$ l m", "i j"}
	if diff := cmp.Diff(want, Quotes(parsed)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A long document loses no quote, up to a bound.
func TestQuotes_OfALongDocument(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&text, "Use `command number %d` of five thousand.\n\n", i)
	}
	parsed, err := markdown.ParseAny([]byte("# T\n\n" + text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(Quotes(parsed)); got != 5_000 {
		t.Errorf("%d quotes", got)
	}
	parsed, err = markdown.ParseAny([]byte("# T\n\n" + strings.ReplaceAll(text.String(), "number", strings.Repeat("n", 100))))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(Quotes(parsed), ""); len(got) > maxQuotesBytes || len(got) < maxQuotesBytes-maxQuote {
		t.Errorf("quotes of %d bytes", len(got))
	}
}
