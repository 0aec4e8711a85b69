package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuotes_SayWhatIsAdvised(t *testing.T) {
	t.Parallel()
	parsed, err := Parse([]byte("---\ntitle: T\nsolution: use `make up`\n---\n\nNever run `a b`, use `c d`. A `e f` breaks it. " +
		"Do not use\n`g h` here. `i j` is forbidden.\n\nNever pass a string with quotes in it to `k`.\n\n" +
		"Instead run:\n\n```sh\n$ l m\n# a comment\n```\n\n```go\nnot()\n```\n\nThat was seen:\n\n~~~\nerror 1\n~~~\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range parsed.Quotes() {
		got = append(got, q.String())
	}
	want := []string{"+make up", "!a b", "+c d", " e f", "!g h", "!i j", " k", "+l m", " error 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
