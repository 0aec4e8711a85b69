package lint

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
)

// move is a cited place whose lines are elsewhere now.
type move struct {
	document *docset.Document
	place    index.CitedPlace
	now      document.Place
}

// Fix has documents cite the places that have moved where they are now. Every other byte
// of a document stays. It returns how many citations it has rewritten in each document.
func Fix(ctx context.Context, p *project.Project) (map[string]int, error) {
	set, err := docset.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	e := &examination{project: p, set: set}
	if err := e.checkPlaces(ctx); err != nil {
		return nil, err
	}
	contents, fixed := map[*docset.Document][]byte{}, map[string]int{}
	for _, m := range e.moves {
		content, ok := contents[m.document]
		if !ok {
			content = m.document.Content
		}
		if rewritten, ok := m.rewrite(content); ok {
			contents[m.document] = rewritten
			fixed[m.document.Path]++
		}
	}
	root, err := contain.Open(p.Root)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	for d, content := range contents {
		if err := root.Replace(d.Path, content, func() error { return unchanged(root, d) }); err != nil {
			return nil, fmt.Errorf("write %s: %w", d.Path, err)
		}
	}
	return fixed, nil
}

// unchanged returns an error if somebody has changed a document since it was read.
func unchanged(root *contain.Root, d *docset.Document) error {
	current, err := root.Read(d.Path, contain.MaxDocument)
	if err == nil && !bytes.Equal(current.Content, d.Content) {
		err = document.ErrChanged
	}
	return err
}

// rewrite replaces the citation on its line. It reports false if that is not found there.
func (m move) rewrite(content []byte) ([]byte, bool) {
	lines := bytes.SplitAfter(content, []byte("\n"))
	at := lineOfPlace(m.document, m.place) - 1
	if at < 0 || at >= len(lines) {
		return nil, false
	}
	line := string(lines[at])
	// Another place may begin with the same text.
	found := regexp.MustCompile(regexp.QuoteMeta(m.place.Raw) + `(?:[^\w/-]|$)`).FindStringIndex(line)
	if found == nil {
		return nil, false
	}
	lines[at] = []byte(line[:found[0]] + m.citation() + line[found[0]+len(m.place.Raw):])
	return bytes.Join(lines, nil), true
}

// placeEnd is what follows the path in a citation.
var placeEnd = regexp.MustCompile(`(?::\d[\d:-]*|#L\d+(?:-L?\d+)?|::[\w.]+)$`)

// citation writes the place as the document did: with the path relative to the same
// folder, and the lines in the same form.
func (m move) citation() string {
	raw := m.place.Raw
	end := placeEnd.FindString(raw)
	name := strings.TrimSuffix(raw, end)
	if m.now.Path != m.place.Path {
		name = m.now.Path
		if strings.HasPrefix(raw, ".") || !strings.HasPrefix(raw, m.place.Path) {
			if relative, err := filepath.Rel(path.Dir(m.document.Path), m.now.Path); err == nil {
				name = filepath.ToSlash(relative)
			}
		}
	}
	switch {
	case m.now.First == 0:
		return name + end
	case strings.HasPrefix(end, "#L") && m.now.Last > m.now.First:
		return fmt.Sprintf("%s#L%d-L%d", name, m.now.First, m.now.Last)
	case strings.HasPrefix(end, "#L"):
		return fmt.Sprintf("%s#L%d", name, m.now.First)
	default:
		return document.Place{Path: name, First: m.now.First, Last: m.now.Last}.String()
	}
}
