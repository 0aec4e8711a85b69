package history

import "testing"

func TestCheck_AllowsNothingThatReadsTheWorkTree(t *testing.T) {
	t.Parallel()
	for _, refused := range [][]string{
		{"status"},
		{"ls-files", "--modified"},
		{"diff"},
		{"diff", "HEAD"},
		{"diff", "--", "--cached"},
		{"diff-index", "HEAD"},
		{"log", "-p"},
		{"log", "--format=%H", "--ext-diff"},
		{"cat-file", "--filters", "HEAD:a.md"},
		{"cat-file", "--textconv"},
		{"log", "--show-signature"},
		{"hash-object"},
		{"show-ref", "--verify=1"},
		{"config", "--edit"},
	} {
		if check(refused) == nil {
			t.Errorf("git %v is allowed", refused)
		}
	}
	if err := check([]string{"log", "--format=%H", "--diff-filter=A", "HEAD", "--", "-p"}); err != nil {
		t.Error(err)
	}
}
