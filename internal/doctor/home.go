package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/project"
)

// checkHome looks at the folders that the program writes to.
func checkHome(_ context.Context, e *examination) []Finding {
	docs := project.DocsFolder
	if e.project != nil {
		docs = e.project.DocsDir()
	}
	var findings []Finding
	for _, folder := range []string{
		e.Home, filepath.Join(e.Home, "postgres"),
		filepath.Join(e.Root, project.ConfigDir), filepath.Join(e.Root, filepath.FromSlash(docs)),
	} {
		if err := usable(folder); err != nil {
			findings = append(findings, fixAccess(err.Error(), folder, "")...)
		}
	}
	if len(findings) == 0 {
		findings = one(OK, e.Home+" can be written to, or made", "")
	}
	return findings
}

// usable returns why this user cannot write to a folder, or make it. A folder below one
// that is not there needs the nearest that is.
func usable(folder string) error {
	folder, info, err := nearest(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	case !writable(folder):
		return fmt.Errorf("%s belongs to %s, and this user, %s, may not write to it", folder, owner(info), currentUser())
	}
	return nil
}

// nearest returns the folder, or else the first above it that is there.
func nearest(folder string) (string, fs.FileInfo, error) {
	info, err := os.Stat(folder)
	if above := filepath.Dir(folder); errors.Is(err, fs.ErrNotExist) && folder != above {
		return nearest(above)
	}
	return folder, info, err
}

// fixAccess says with what the command that gives this user access to a file or a folder.
func fixAccess(what, path, otherwise string) []Finding {
	for {
		info, err := os.Stat(path)
		switch {
		case runtime.GOOS == "windows":
			return one(Error, what, otherwise)
		case err == nil && !owned(info):
			return runs(Error, what, "sudo", "chown", "-R", currentUser(), path)
		case err == nil && info.IsDir():
			return runs(Error, what, "chmod", "u+rwx", path)
		case err == nil:
			return runs(Error, what, "chmod", "u+rw", path)
		case path == filepath.Dir(path):
			return one(Error, what, otherwise)
		}
		path = filepath.Dir(path) // the folder does not let us look, or is not there
	}
}

// With less than full, PostgreSQL may stop at any moment; with less than tight, soon.
const (
	mebibyte  = 1 << 20
	fullDisk  = 64 * mebibyte
	tightDisk = 1024 * mebibyte
)

// checkDisk looks at the file system of the user's folder, where the database is.
func checkDisk(_ context.Context, e *examination) []Finding {
	folder, _, _ := nearest(e.Home)
	free, err := freeSpace(folder)
	if err != nil {
		return one(Skipped, "the free space is not known: "+err.Error(), "")
	}
	what := fmt.Sprintf("%d MiB are free where %s is", free/mebibyte, folder)
	fix := "delete what is not needed: df -h " + claude.Quote(folder) + " shows the disk, and compound-docs clean " +
		"makes the database smaller; or set CDOCS_HOME to a folder on another disk"
	switch {
	case free < fullDisk:
		return one(Error, "the disk is full: "+what, fix)
	case free < tightDisk:
		return one(Warning, "the disk is nearly full: "+what, fix)
	}
	return one(OK, what, "")
}
