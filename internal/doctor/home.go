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
		otherwise := ""
		if strings.HasPrefix(folder, e.Home) {
			otherwise = "set CDOCS_HOME to a folder that this user may write to"
		}
		err := usable(folder)
		if err == nil {
			continue
		}
		found := fixAccess(err.Error(), folder, otherwise)
		if errors.Is(err, syscall.EROFS) {
			found = one(Error, err.Error(), cmp.Or(otherwise, "work in a copy of the repository that can be written to"))
		}
		if !slices.Contains(findings, found[0]) { // several may need one folder above them
			findings = append(findings, found...)
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

// fixAccess says with what how this user gets access to a file or a folder. It prints a command
// for what this user owns, and for a folder of the program's own. Nothing else changes its
// owner: the folder may be / or that of another user.
func fixAccess(what, path, otherwise string) []Finding {
	if runtime.GOOS == "windows" {
		return one(Error, what, otherwise)
	}
	info, err := os.Lstat(path)
	for err != nil && path != filepath.Dir(path) { // it is not there, or its folder does not let us look
		path = filepath.Dir(path)
		info, err = os.Lstat(path)
	}
	switch {
	case err != nil:
		return one(Error, what, otherwise)
	case !owned(info) && info.IsDir() && programsOwn(path):
		return one(Error, what, `run: sudo chown -R "$(id -un)" `+claude.Quote(path))
	case !owned(info):
		fix := "have the owner of " + path + " give this user access to it"
		if otherwise != "" {
			fix += "; or " + otherwise
		}
		return one(Error, what, fix)
	case info.IsDir():
		return one(Error, what, command("chmod", "u+rwx", path))
	default:
		return one(Error, what, command("chmod", "u+rw", path))
	}
}

// programsOwn reports whether a path is of a folder that this program makes, as its name says.
func programsOwn(path string) bool {
	elements := strings.Split(filepath.ToSlash(path), "/")
	return slices.Contains(elements, project.ConfigDir) || slices.Contains(elements, project.DocsFolder)
}
