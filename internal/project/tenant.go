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
// separator, and with its drive in upper or lower case. Pass [Project.Root], in which symlinks are
// resolved.
func PathHash(root string) string {
	root = filepath.ToSlash(root)
	if hasDrive(root) {
		root = strings.ToUpper(root[:1]) + root[1:]
	}
	if hasDrive(root) || strings.HasPrefix(root, `\\`) {
		root = strings.ReplaceAll(root, `\`, "/")
	}
	sum := sha256.Sum256([]byte(path.Clean(root)))
	return hex.EncodeToString(sum[:])[:16]
}

// hasDrive reports whether a path begins with a drive of Windows. On other systems an absolute path
// begins with a slash, and a backslash is a letter like any other.
func hasDrive(p string) bool {
	return len(p) > 1 && p[1] == ':' && ('a' <= p[0] && p[0] <= 'z' || 'A' <= p[0] && p[0] <= 'Z')
}
