package scaffold

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// docsFolder is where projects keep their documentation, by convention.
const docsFolder = "docs"

// knowledge are folders below it that may be all there is: what the compound-engineering
// plugin has written, and architecture decision records.
var knowledge = []string{"docs/solutions", "docs/adr"}

// maxEntries bounds the look into a large folder.
const maxEntries = 100_000

// findDocs returns the folder of a repository that has documentation, relative to it,
// and the number of its markdown files: one of knowledge if there is no file elsewhere
// in docs, and "" if there is none at all. A folder behind a symbolic link, or a hidden
// one, does not count.
func findDocs(root string) (folder string, files int) {
	if info, err := os.Lstat(filepath.Join(root, docsFolder)); err != nil || !info.IsDir() {
		return "", 0
	}
	in := map[string]int{}
	entries := 0
	_ = fs.WalkDir(os.DirFS(root), docsFolder, func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return fs.SkipDir // doctor names what cannot be read
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.Type().IsRegular() && path.Ext(name) == ".md" && !strings.HasPrefix(d.Name(), "."):
			files++
			for _, folder := range knowledge {
				if strings.HasPrefix(name, folder+"/") {
					in[folder]++
				}
			}
		}
		return nil
	})
	if files == 0 {
		return "", 0
	}
	for _, folder := range knowledge {
		if in[folder] == files {
			return folder, files
		}
	}
	return docsFolder, files
}
