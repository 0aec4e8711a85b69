package contain

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// spelled returns a path whose last name is spelled as on the disk. macOS may write ü as two characters, where other
// systems write one character. A path may come from any of these systems.
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

// Hidden reports whether a part of a path is the name of a hidden file or folder on this system.
func Hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(name), "/"), hidden)
}

// hidden is [Hidden] for a single name.
func hidden(name string) bool { return hiddenOn(name, runtime.GOOS) }

// hiddenOn reports whether a name is hidden on a system. A hidden name begins with a dot, or means another name that
// begins with a dot. HFS+ ignores some characters, so "\u200c.git" means .git. Windows has short names, such as GIT~1
// for .git. Git treats GIT~1 as .git on every system.
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

// shortName returns the part before the tilde of a short name of Windows: NOTES for NOTES~1.MD. ok is false if the name
// is not a short name.
func shortName(name string) (stem string, ok bool) {
	name, _, _ = strings.Cut(name, ".")
	stem, number, ok := strings.Cut(name, "~")
	return stem, ok && stem != "" && number != "" && len(name) <= 8 && strings.Trim(number, "0123456789") == ""
}
