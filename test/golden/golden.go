// Package golden compares what a test has made with a file that says what it should be.
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files that tests compare with; read the difference")

// Update reports whether the tests run with -update.
func Update() bool { return *update }

// Compare fails if the file does not hold the text. With -update it writes the file.
func Compare(t *testing.T, file, got string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if *update && (errors.Is(err, fs.ErrNotExist) || err == nil && string(want) != got) {
		err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, []byte(got), 0o600))
		want = []byte(got)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not up to date; run the test with -update (-want +got):\n%s", file, diff)
	}
}
