package main

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/eval"
)

// documentsFolder is that of a project which is made of a collection in BEIR's form.
const documentsFolder = "docs"

// makeProject copies a collection that is a project into the folder, or writes the
// documents of one in BEIR's form there. It returns the collection, in which documents
// are named by their paths.
func makeProject(set, folder string) (*eval.Collection, error) {
	collection, err := eval.Read(set)
	if errors.Is(err, os.ErrNotExist) {
		return copyProject(set, folder)
	}
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`{"project_name": "judged", "documents": {"folder": %q, "lenient": true}}`, documentsFolder)
	if err := os.MkdirAll(filepath.Join(folder, ".csharp-compounding-docs"), 0o750); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(folder, documentsFolder), 0o750); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, ".csharp-compounding-docs", "config.json"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	for _, d := range collection.Documents {
		text := d.Text
		if d.Title != "" {
			text = "# " + strings.Join(strings.Fields(d.Title), " ") + "\n\n" + text
		}
		if err := os.WriteFile(filepath.Join(folder, pathOf(d.ID)), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	for _, judged := range collection.Judged {
		for id, grade := range judged {
			judged[pathOf(id)] = grade
		}
	}
	return collection, nil
}

// pathOf is the file that a document of a collection in BEIR's form is written to.
func pathOf(id string) string { return documentsFolder + "/" + url.PathEscape(id) + ".md" }

// copyProject copies a collection that is a project into the folder.
func copyProject(set, folder string) (*eval.Collection, error) {
	if err := os.CopyFS(folder, os.DirFS(set)); err != nil {
		return nil, err
	}
	var documents []eval.Document
	root := filepath.Join(folder, "csharp-compounding-docs")
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		documents = append(documents, eval.Document{ID: filepath.ToSlash(name)})
		return err
	})
	if err != nil {
		return nil, err
	}
	return eval.ReadQueries(folder, documents)
}

// part is one of so many projects of a size that are drawn from a collection, with no document
// in two of them; the zero part is the whole collection.
type part struct{ size, number, of int }

// parts returns those of a size, the same in every run, with about 300 documents together:
// none if the collection is not larger.
func parts(size, documents int) []part {
	const drawn = 300
	if size >= documents {
		return nil
	}
	all := make([]part, min(documents/size, max(1, drawn/size)))
	for i := range all {
		all[i] = part{size: size, number: i, of: len(all)}
	}
	return all
}

// has reports whether a question that no document answers is asked of this project.
func (p part) has(question int) bool { return p.size == 0 || question%p.of == p.number }

// draw leaves of a collection, and of its project at root, the documents of the part and the
// questions that these answer.
func (p part) draw(c *eval.Collection, root string) error {
	if p.size == 0 {
		return nil
	}
	var documents []eval.Document
	own := map[string]bool{}
	random := rand.New(rand.NewPCG(seed, uint64(p.size)))
	for place, i := range random.Perm(len(c.Documents)) {
		name := c.Documents[i].ID
		if _, err := os.Lstat(filepath.Join(root, name)); err != nil {
			name = pathOf(name)
		}
		if place/p.size == p.number {
			documents, own[name] = append(documents, c.Documents[i]), true
		} else if err := os.Remove(filepath.Join(root, name)); err != nil {
			return err
		}
	}
	c.Documents = documents
	unanswered := 0
	c.Queries = slices.DeleteFunc(c.Queries, func(q eval.Query) bool {
		judged := c.Judged[q.ID]
		if len(judged) == 0 {
			unanswered++
			return !p.has(unanswered)
		}
		maps.DeleteFunc(judged, func(id string, grade int) bool { return !own[id] || grade <= 0 })
		return len(judged) == 0
	})
	return nil
}

// seed draws the projects.
const seed = 28
