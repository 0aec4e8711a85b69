package contain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// spelled returns the name of a file in the form that it has on the disk. macOS writes ü as two characters and other
// systems as one, and a path may come from either.
func spelled(folder *os.Root, name string) string {
	if norm.NFD.IsNormalString(name) && norm.NFC.IsNormalString(name) {
		return name
	}
	_, err := folder.Lstat(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return name
	}
	forms := []string{norm.NFC.String(name), norm.NFD.String(name)} // one may be too long for the disk
	there := slices.IndexFunc(forms, func(form string) bool {
		_, err := folder.Lstat(form)
		return err == nil
	})
	if there < 0 {
		return name
	}
	return forms[there]
}

// Hidden reports whether a part of a path is hidden.
func Hidden(name string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if hidden(part) {
			return true
		}
	}
	return false
}

// hidden reports whether a name is that of a hidden file or folder on this system.
func hidden(name string) bool { return hiddenOn(name, runtime.GOOS) }

// hiddenOn knows the dot and the other names that file systems have for hidden files. HFS+ ignores
// some characters: "\u200c.git" is .git there. Windows has short names, such as GIT~1 for .git. Git
// takes that one for .git everywhere.
func hiddenOn(name, system string) bool {
	if name == "." || name == ".." || name == "" {
		return false
	}
	if name[0] >= 0x80 {
		name = strings.TrimLeftFunc(name, func(r rune) bool {
			return '\u200c' <= r && r <= '\u200f' || '\u202a' <= r && r <= '\u202e' || '\u206a' <= r && r <= '\u206f' || r == '\ufeff'
		})
	}
	if strings.HasPrefix(name, ".") {
		return true
	}
	stem, ok := shortName(name)
	return ok && (system == "windows" || strings.EqualFold(stem, "git"))
}

// shortName returns the part of a Windows short name before the tilde, such as NOTES of NOTES~1.MD.
// ok is false for other names.
func shortName(name string) (stem string, ok bool) {
	name, _, _ = strings.Cut(name, ".")
	stem, number, ok := strings.Cut(name, "~")
	return stem, ok && stem != "" && number != "" && len(name) <= 8 && strings.Trim(number, "0123456789") == ""
}
