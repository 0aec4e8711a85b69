package index

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// excludedFields get no line with their name in the passage of front matter. The title is in the heading of every
// passage. Summary, description and tags come first in the passage anyway. The status and the fields for other versions
// may name the newer document, so searches for its words could find the older document first. Most other fields tell a
// site generator where a page goes.
var excludedFields = []string{
	"doc_type", "date", "promotion_level", "title", "summary", "tags",
	"status", "supersedes", "superseded_by", "amends", "amended_by", "expires", "valid_until", "review_by", said.TriggersField,
	"description", "layout", "template", "permalink", "slug", "parent", "menu", "weight", "order", "nav_order", "sidebar_position",
	"sidebar_label", "pagination_next", "pagination_prev", "eleventyNavigation", "toc", "hide", "draft",
}

// frontMatterPassages returns the passages that make front matter searchable: the summary, the description, the tags,
// and then every other field with text, sorted by name. Tags and other fields have one line each, which begins with the
// field's name. The result is nil without text, and one passage if the text fits the embedding model's window. As its
// lines, each passage has all lines of the front matter.
func frontMatterPassages(doc *markdown.Document, title string) []markdown.Passage {
	names := []string{"tags"}
	for _, name := range slices.Sorted(maps.Keys(doc.FrontMatter)) {
		hasPassages := name == questionsField && len(questions(doc.FrontMatter)) > 0
		if !slices.Contains(excludedFields, name) && !hasPassages {
			names = append(names, name)
		}
	}
	lines := append(texts(doc.FrontMatter["summary"]), texts(doc.FrontMatter["description"])...)
	for _, name := range names {
		if text := joined(doc.FrontMatter[name]); text != "" {
			lines = append(lines, inWords.Replace(name)+": "+text)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return cut(strings.Join(lines, "\n"), title, doc.FrontMatterLines)
}

// inWords turns the name of a field into words, such as root_cause into root cause.
var inWords = strings.NewReplacer("_", " ", "-", " ")

func joined(value any) string { return strings.Join(texts(value), "; ") }

// questionsField is the field of the front matter that lists questions which the document answers.
const questionsField = "questions"

// Bounds of the questions of one document. The schema common.json of package project has the same bounds.
const (
	maxQuestions     = 10
	maxQuestionRunes = 300
)

// questions returns the questions of the front matter, each in one line. The value may also be a single text. If the
// value has no text, questions returns nil, and the field is treated like any other.
func questions(frontMatter map[string]any) []string {
	var found []string
	for _, text := range StringList(frontMatter[questionsField]) {
		line := markdown.OneLine(text)
		if line != "" && len(found) < maxQuestions {
			found = append(found, markdown.CutRunes(line, maxQuestionRunes))
		}
	}
	return found
}

// cut returns passages of a text, each so short that it fits the embedding model's window together with a title. Each
// passage gets the lines from 1 to end.
func cut(text, title string, end int) []markdown.Passage {
	var passages []markdown.Passage
	room := markdown.DefaultLimit().MaxTokens - markdown.EstimateTokens(markdown.Heading(title, ""))
	for _, part := range markdown.Cut(text, room) {
		passages = append(passages, markdown.Passage{StartLine: 1, EndLine: end, Text: part})
	}
	return passages
}

// texts returns the texts in a value of front matter, including those in nested lists and maps.
func texts(value any) []string {
	var all []string
	switch value := value.(type) {
	case string:
		if text := markdown.OneLine(value); text != "" {
			all = append(all, text)
		}
	case []any:
		for _, item := range value {
			switch item.(type) {
			case int, int64, float64: // such as a tag 2025
				all = append(all, fmt.Sprint(item))
			default:
				all = append(all, texts(item)...)
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = append(all, texts(value[name])...)
		}
	}
	return all
}
