package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
)

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
		otherwise := ""
		if strings.HasPrefix(folder, e.Home) {
			otherwise = "set CDOCS_HOME to a folder that this user may write to"
		}
		found := checkFolder(folder, otherwise)
		if len(found) > 0 && !slices.Contains(findings, found[0]) { // several may need the same folder above them
			findings = append(findings, found...)
		}
	}
	if len(findings) == 0 {
		findings = one(OK, e.Home+" can be written to, or made", "")
	}
	return findings
}

// checkFolder finds what keeps this user from writing to a folder. otherwise is a way around it, or "".
func checkFolder(folder, otherwise string) []Finding {
	err := usable(folder)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EROFS):
		return one(Error, err.Error(), cmp.Or(otherwise, "work in a copy of the repository that can be written to"))
	case errors.Is(err, syscall.ENOSPC):
		return one(Error, err.Error(), "make room on that disk; or "+cmp.Or(otherwise, "move the repository to another"))
	default:
		return fixAccess(err.Error(), folder, otherwise)
	}
}

// usable returns why this user cannot write to a folder or make it. A missing folder needs the nearest
// folder above it.
func usable(folder string) error {
	folder, info, err := nearest(folder)
	if err != nil {
		return err
	}
	switch err := access(folder); {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s is on a %w", folder, syscall.EROFS)
	case err != nil && !owned(info):
		return fmt.Errorf("%s belongs to another user, and this one may not write to it", folder)
	case err != nil:
		return fmt.Errorf("this user may not write to %s", folder)
	}
	free, err := freeBytes(folder)
	if err != nil || free >= leastFree {
		return nil //nolint:nilerr // the system does not say
	}
	return fmt.Errorf("the disk of %s is full, with %d MiB left: %w", folder, free>>20, syscall.ENOSPC)
}

// leastFree is the room below which a disk counts as full. PostgreSQL writes 16 MiB at a time.
const leastFree = 64 << 20

// nearest returns a path, or the first path above it that exists and can be read.
func nearest(path string) (string, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if above := filepath.Dir(path); err != nil && path != above {
		return nearest(above)
	}
	return path, info, err
}

// fixAccess says how this user gets access to a file or a folder. It prints a command only for files of
// this user, and for folders of the program. Other files keep their owner: the folder may be /.
func fixAccess(what, path, otherwise string) []Finding {
	if runtime.GOOS == "windows" {
		return one(Error, what, otherwise)
	}
	path, info, err := nearest(path)
	switch {
	case err != nil:
		return one(Error, what, otherwise)
	case owned(info):
		return one(Error, what, command("chmod", "u+rwX", path))
	case info.IsDir() && programsOwn(path):
		return one(Error, what, `run: sudo chown -R "$(id -un)" `+clients.Quote(path))
	}
	fix := "have the owner of " + path + " give this user access to it"
	if otherwise != "" {
		fix += "; or " + otherwise
	}
	return one(Error, what, fix)
}

// programsOwn reports whether a path is in a folder that this program makes, by its name.
func programsOwn(path string) bool {
	elements := strings.Split(filepath.ToSlash(path), "/")
	return slices.Contains(elements, project.ConfigDir) || slices.Contains(elements, project.DocsFolder)
}
