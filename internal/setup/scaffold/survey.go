package scaffold

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// maxEntries bounds how many files and folders of a large repository a survey looks at.
const maxEntries = 200_000

// survey has the paths of a repository's markdown files. leftOut has other files and folders with texts.
type survey struct {
	markdown []string
	leftOut  []LeftOut
}

// takeSurvey looks at everything in a repository that is not hidden. excluded says why to leave something out, or "".
func takeSurvey(root *contain.Root, excluded func(name string, folder bool) string) survey {
	var s survey
	entries := 0
	_ = root.Walk(func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			s.leftOut = append(s.leftOut, LeftOut{name, "the repository has too many files to look at them all"})
			return fs.SkipAll
		}
		if err != nil {
			return fs.SkipDir // skip folders that cannot be read
		}
		why := excluded(name, d.IsDir())
		switch {
		case !d.IsDir() && why == "" && d.Type().IsRegular():
			s.add(name)
		case d.IsDir() && why != "":
			if hasMarkdown(root, name) {
				s.leftOut = append(s.leftOut, LeftOut{name, why})
			}
			return fs.SkipDir
		}
		return nil
	})
	return s
}

func (s *survey) add(name string) {
	switch {
	case project.IsMarkdown(name):
		s.markdown = append(s.markdown, name)
	case slices.Contains([]string{".rst", ".adoc", ".asciidoc", ".org"}, strings.ToLower(path.Ext(name))),
		strings.HasPrefix(name, "doc") && strings.HasSuffix(name, ".txt") && !strings.Contains(path.Base(name), "requirements"):
		s.leftOut = append(s.leftOut, LeftOut{name, "no markdown"})
	case strings.Contains(path.Base(name), ".md."): // such as page.html.md.erb
		s.leftOut = append(s.leftOut, LeftOut{name, "a template of markdown"})
	}
}

// hasMarkdown reports whether a folder has markdown among its first 1,000 entries. It stops there, because folders such
// as node_modules are large.
func hasMarkdown(root *contain.Root, folder string) (found bool) {
	opened, err := root.Sub(folder)
	if err != nil {
		return false
	}
	defer opened.Close() //nolint:errcheck // opened for reading only
	const enough = 1000
	entries := 0
	_ = opened.Walk(func(name string, _ fs.DirEntry, _ error) error {
		entries++
		found = project.IsMarkdown(name)
		if found || entries > enough {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// topPlaces returns entries for documents.folders that cover files: top folders, and patterns for files at the root.
func topPlaces(files []string) []string {
	var places []string
	for _, file := range files {
		top, _, below := strings.Cut(file, "/")
		if !below {
			top = "*" + path.Ext(file)
		}
		if !slices.Contains(places, top) {
			places = append(places, top)
		}
	}
	return places
}
