package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The page in docs/ follows from its data.
func TestReport_PageIsOfItsData(t *testing.T) {
	t.Parallel()
	const page = "../../docs/benchmarks.md"
	r, err := readReport(beside(page, ".json"))
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "page.md")
	if err := r.render(again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(get(os.ReadFile(again))), string(get(os.ReadFile(page)))); diff != "" {
		t.Errorf("%s is not what make bench wrote (-want +got):\n%s", page, diff)
	}
}
