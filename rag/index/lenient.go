package index

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// namedType returns the doc-type that the front matter of a lenient project's document
// names, if there is such a doc-type, and that of its folder otherwise.
func namedType(folders project.Rules, frontMatter map[string]any) project.Rules {
	if name, ok := frontMatter["doc_type"].(string); ok {
		if named, ok := folders.Named(name); ok {
			return named
		}
	}
	return folders
}

// usable returns front matter that was not validated. It keeps a date only if it is one, such as
// 2026-01-02, and a promotion level only if it is one.
func usable(frontMatter map[string]any) map[string]any {
	frontMatter = maps.Clone(frontMatter)
	maps.DeleteFunc(frontMatter, func(name string, value any) bool {
		text, ok := value.(string)
		switch name {
		case "date":
			return !ok || dateOf(text) == ""
		case "promotion_level":
			return !ok || !slices.Contains(catalog.Levels(), catalog.Level(text))
		}
		return false
	})
	if date, ok := frontMatter["date"].(string); ok {
		frontMatter["date"] = dateOf(date)
	}
	return frontMatter
}

// dateOf returns the date of a date or of a date with a time, and "" of other texts.
func dateOf(text string) string {
	if len(text) > len(time.DateOnly) && (text[len(time.DateOnly)] == 'T' || text[len(time.DateOnly)] == ' ') {
		text = text[:len(time.DateOnly)]
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return ""
	}
	return text
}

// date fills in the dates that front matter lacks.
func (x *Indexer) date(ctx context.Context, documents []*prepared) {
	undated := slices.DeleteFunc(slices.Clone(documents), func(doc *prepared) bool { return !doc.undated })
	if len(undated) == 0 {
		return
	}
	var known map[string]string
	if x.Dates != nil {
		paths := make([]string, len(undated))
		for i, doc := range undated {
			paths[i] = doc.file.Path
		}
		known = x.Dates(ctx, paths)
	}
	for _, doc := range undated {
		doc.Date = known[doc.file.Path]
		if doc.Date == "" && !doc.file.ModTime.IsZero() {
			doc.Date = doc.file.ModTime.Format(time.DateOnly)
		}
	}
}

// Advice returns what a strict schema would find wrong with a file of a lenient project. It returns
// nothing for a strict schema, or for a file that is not text, which is not indexed.
func Advice(file document.File, schema Schema) []project.Violation {
	docType, ok := schema.Rules(file.Path)
	if !ok || !docType.Lenient() {
		return nil
	}
	parsed, err := parse(file, schema)
	if err != nil {
		return nil
	}
	if parsed.NotFrontMatter != nil {
		return []project.Violation{{
			Field: "front matter", Problem: fmt.Sprintf("is read as text: %v", parsed.NotFrontMatter),
			Expected: "lines of key: value between two lines ---",
		}}
	}
	return namedType(docType, parsed.FrontMatter).Validate(parsed.FrontMatter)
}
