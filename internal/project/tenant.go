package project

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"
)

// PathHash identifies a checkout: the first 16 hexadecimal digits of the SHA-256 of its root's
// absolute path, with / separators and no trailing slash. A Windows path hashes alike with either
// separator. Pass [Project.Root], in which symlinks are resolved.
func PathHash(root string) string {
	root = filepath.ToSlash(root)
	if isWindowsPath(root) {
		root = strings.ReplaceAll(root, `\`, "/")
	}
	sum := sha256.Sum256([]byte(path.Clean(root)))
	return hex.EncodeToString(sum[:])[:16]
}

// isWindowsPath reports whether a path begins with a drive or a share. Elsewhere an absolute path
// begins with a slash, and a backslash is a letter like any other.
func isWindowsPath(p string) bool {
	return strings.HasPrefix(p, `\`) || len(p) > 1 && p[1] == ':'
}
