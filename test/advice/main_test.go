package main

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// The table is that of the documents. Each file is judged well by the others.
func TestFit(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "weights are fitted")
	files, sets, err := readAll(".")
	if err != nil || len(files) < 11 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	written, err := os.ReadFile("../../rag/advice/weights.tsv")
	if err != nil {
		t.Fatal(err)
	}
	// Other processors round other numbers.
	if runtime.GOARCH == "amd64" && !bytes.Equal(written, table(fit(slices.Concat(sets...)))) {
		t.Error("run: go run ./test/advice rag/advice/weights.tsv")
	}
	for i, held := range sets {
		others := slices.Concat(slices.Delete(slices.Clone(sets), i, i+1)...)
		if got := area(held, fit(others)); got < .8 {
			t.Errorf("%s: the area under the ROC curve is %.3f, want .8", files[i], got)
		}
	}
}
