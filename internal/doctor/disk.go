package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/claude"
)

// With less than full, PostgreSQL may stop at any moment; with less than tight, soon.
const (
	mebibyte  = 1 << 20
	fullDisk  = 64 * mebibyte
	tightDisk = 1024 * mebibyte
)

// checkDisk looks at the file system of the user's folder, where the database is.
func checkDisk(_ context.Context, e *examination) []Finding {
	folder := e.Home
	for _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder); _, err = os.Stat(folder) {
		folder = filepath.Dir(folder)
	}
	free, err := freeSpace(folder)
	if err != nil {
		return one(Skipped, "the free space is not known: "+err.Error(), "")
	}
	what := fmt.Sprintf("%d MiB are free where %s is", free/mebibyte, folder)
	fix := "delete what is not needed: df -h " + claude.Quote(folder) + " shows the disk, and compound-docs cleanup " +
		"makes the database smaller; or set CDOCS_HOME to a folder on another disk"
	switch {
	case free < fullDisk:
		return one(Error, "the disk is full: "+what, fix)
	case free < tightDisk:
		return one(Warning, "the disk is nearly full: "+what, fix)
	}
	return one(OK, what, "")
}
