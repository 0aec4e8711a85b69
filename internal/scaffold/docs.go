package scaffold

import (
	"io/fs"
	"path"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// docsFolder is where projects keep their documentation, by convention.
const docsFolder = "docs"

// solutions is where the compound-engineering plugin writes what a team has learned.
const solutions = "docs/solutions"

// parts are folders of docs that may be all there is: solutions, and architecture
// decision records.
var parts = []string{solutions, "docs/adr"}

// maxEntries bounds the look into a large folder.
const maxEntries = 100_000

// knowledge is the markdown that a repository has already.
type knowledge struct {
	// own is the folder to take as that of the project's own documents, "" for the usual
	// one. external is the one to take as external docs, "" for none.
	own, external string
	// asOwn says that commands and hooks take external as own documents, because there are no others.
	asOwn bool
	// ownFiles and externalFiles count their files, and looseFiles those of a repository that has
	// neither. vault says that Obsidian keeps it.
	ownFiles, externalFiles, looseFiles int
	vault                               bool
}

// findKnowledge looks for the documentation of a repository. wanted is the folder that the user
// chose for the documents, or "". Without it, a folder "solutions" becomes that folder if it has
// files and is the only one: the team already writes its problems there. Decision records remain
// external docs, because other documents do not belong among them.
func findKnowledge(root *contain.Root, wanted string) knowledge {
	var found knowledge
	_, err := root.Lstat(project.DocsFolder)
	switch {
	case wanted == project.DocsFolder:
	case wanted != "":
		found.own, found.ownFiles = wanted, len(markdownFiles(root, wanted, ""))
	case err != nil:
		if files := len(markdownFiles(root, solutions, "")); files > 0 {
			found.own, found.ownFiles = solutions, files
		}
	}
	if found.own == docsFolder {
		return found
	}
	files := markdownFiles(root, docsFolder, found.own)
	if found.externalFiles = len(files); found.externalFiles > 0 {
		found.external = narrowest(files)
		found.asOwn = found.own == "" && len(markdownFiles(root, project.DocsFolder, "")) == 0
	} else if found.own == "" {
		found.looseFiles = len(markdownFiles(root, ".", project.DocsFolder))
		_, err := root.Lstat(".obsidian")
		found.vault = err == nil
	}
	return found
}

// narrowest returns the part that has all the files, or docsFolder.
func narrowest(files []string) string {
	for _, part := range parts {
		in := 0
		for _, name := range files {
			if strings.HasPrefix(name, part+"/") {
				in++
			}
		}
		if in == len(files) {
			return part
		}
	}
	return docsFolder
}

// markdownFiles returns the markdown files of a folder of the repository, except those in the
// folder without. A hidden folder or one behind a symbolic link does not count.
func markdownFiles(root *contain.Root, folder, without string) (files []string) {
	if target, err := root.Resolve(folder); err != nil || target != folder {
		return nil
	}
	opened, err := root.Sub(folder)
	if err != nil {
		return nil
	}
	defer opened.Close() //nolint:errcheck // opened for reading only
	entries := 0
	_ = opened.Walk(func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			return fs.SkipAll
		}
		at := path.Join(folder, name)
		switch {
		case err != nil:
			return fs.SkipDir // doctor names what cannot be read
		case d.IsDir() && (d.Name() == "node_modules" || at == without):
			return fs.SkipDir
		case d.Type().IsRegular() && path.Ext(name) == ".md":
			files = append(files, at)
		}
		return nil
	})
	return files
}
