package contain

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// spelled returns a path with its last name in the form that it has on the disk. macOS writes ü as two characters and
// other systems as one, and a path may come from either.
func (r *Root) spelled(name string) string {
	folder, base := filepath.Split(name)
	if norm.NFD.IsNormalString(base) && norm.NFC.IsNormalString(base) {
		return name
	}
	forms := []string{name, folder + norm.NFC.String(base), folder + norm.NFD.String(base)}
	there := slices.IndexFunc(forms, func(form string) bool {
		_, err := r.folder.Lstat(form)
		return err == nil
	})
	return forms[max(0, there)]
}

// Hidden reports whether a part of a path is hidden.
func Hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(name), "/"), hidden)
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
