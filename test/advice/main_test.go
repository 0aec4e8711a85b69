package main

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// folds is in how many parts the files are divided. Each is judged by the others.
const folds = 4

// The table is that of the documents. Each file is judged well by others.
func TestFit(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "weights are fitted")
	files, sets, err := readAll(".")
	if err != nil || len(files) < 23 {
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
	for fold := range folds {
		var others []example
		for i, set := range sets {
			if i%folds != fold {
				others = append(others, set...)
			}
		}
		weights := fit(others)
		for i := fold; i < len(sets); i += folds {
			got := area(sets[i], weights)
			t.Logf("%s: %d quotes, judged by other files: area under the ROC curve %.3f", files[i], len(sets[i]), got)
			if got < .82 {
				t.Errorf("%s: the area under the ROC curve is %.3f, want .82", files[i], got)
			}
		}
	}
}
