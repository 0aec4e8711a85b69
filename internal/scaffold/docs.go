package scaffold

import (
	"io/fs"
	"path"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project"
)

const (
	// docsFolder is where projects keep their documentation, by convention.
	docsFolder = "docs"
	// solutions is where the compound-engineering plugin writes what a team has learned.
	solutions = "docs/solutions"
	// maxEntries bounds the look into a large folder.
	maxEntries = 100_000
)

// knowledge is the markdown that a repository has already.
type knowledge struct {
	// own is the folder of own documents, "" for the usual one, and external that of external docs,
	// "" for none.
	own, external string
	// asOwn says that commands and hooks take external as own documents, because there are no others.
	asOwn bool
	Counts
}

// findKnowledge looks for the documentation of a repository. wanted is the user's folder of documents, or "":
// then docs/solutions is taken if it has files, because the team already writes its problems there.
func findKnowledge(root *contain.Root, wanted string) knowledge {
	var known knowledge
	_, err := root.Lstat(project.DocsFolder)
	switch {
	case wanted == project.DocsFolder:
	case wanted != "":
		known.own, known.Documents = wanted, countMarkdown(root, wanted, "")
	case err != nil:
		if files := countMarkdown(root, solutions, ""); files > 0 {
			known.own, known.Documents = solutions, files
		}
	}
	if known.own == docsFolder {
		return known
	}
	if known.External = countMarkdown(root, docsFolder, known.own); known.External > 0 {
		known.external = docsFolder
		known.asOwn = known.own == "" && countMarkdown(root, project.DocsFolder, "") == 0
	} else if known.own == "" {
		known.Loose = countMarkdown(root, ".", project.DocsFolder)
		_, err := root.Lstat(".obsidian")
		known.Vault = err == nil
	}
	return known
}

// countMarkdown counts the markdown files of a folder except those in without. Hidden folders and
// symbolic links do not count.
func countMarkdown(root *contain.Root, folder, without string) (files int) {
	if target, _, err := root.Resolve(folder); err != nil || target != folder {
		return 0
	}
	opened, err := root.Sub(folder)
	if err != nil {
		return 0
	}
	defer opened.Close() //nolint:errcheck // opened for reading only
	entries := 0
	_ = opened.Walk(func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return fs.SkipDir // doctor names what cannot be read
		case d.IsDir() && (d.Name() == "node_modules" || path.Join(folder, name) == without):
			return fs.SkipDir
		case d.Type().IsRegular() && path.Ext(name) == ".md":
			files++
		}
		return nil
	})
	return files
}
