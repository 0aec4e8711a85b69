package imports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// fieldsOf returns what the front matter of a doc-type needs beside title, date and summary,
// from a source's own front matter and sections, and nil for a doc-type whose fields no
// source has.
func fieldsOf(docType, source, text string, given map[string]any) map[string]any {
	fields := map[string]any{}
	if tags := texts(given["tags"]); len(tags) > 0 {
		fields["tags"] = tags
	}
	switch docType {
	case "codebase":
		maps.Copy(fields, map[string]any{
			"significance": "architectural", "knowledge_type": "architecture_decision", "scope": "system",
		})
	case "problem":
		symptoms := texts(given["symptoms"])
		if len(symptoms) == 0 {
			symptoms = []any{section(text, "symptoms?|problem|context")}
		}
		maps.Copy(fields, map[string]any{
			"significance": "correctness", "problem_type": problemType(fmt.Sprint(given["problem_type"], given["category"])),
			"symptoms":   symptoms,
			"root_cause": cmp.Or(section(text, "(?:root )?causes?"), textOr(given["root_cause"], "")),
			"solution":   cmp.Or(section(text, "solution|resolution|fix"), textOr(given["solution"], "")),
		})
	case insight:
		maps.Copy(fields, map[string]any{
			"significance": "behavioral", "insight_type": "domain_knowledge", "source": source,
			"impact_area": textOr(given["module"], textOr(given["component"], "the project")),
		})
	default:
		return nil
	}
	return fields
}

// texts returns those of a list, or of one text.
func texts(value any) (list []any) {
	if text, ok := value.(string); ok && text != "" {
		return []any{text}
	}
	list, _ = value.([]any)
	return slices.DeleteFunc(slices.Clone(list), func(item any) bool { text, ok := item.(string); return !ok || text == "" })
}

func textOr(value any, other string) string {
	if text, ok := value.(string); ok && text != "" {
		return text
	}
	return other
}

// problemType returns the problem_type that a team's own word for a kind of problem means.
func problemType(word string) string {
	for _, kind := range []string{"performance", "security", "integration", "config", "data"} {
		if strings.Contains(strings.ToLower(word), kind) {
			return strings.Replace(kind, "config", "configuration", 1)
		}
	}
	return "bug"
}

// section returns the first paragraph below a heading whose text begins with the pattern, in
// one line, "" for none.
func section(text, heading string) string {
	at := regexp.MustCompile(`(?mi)^#{2,4}\s+(?:` + heading + `)\b.*\n`).FindStringIndex(text)
	if at == nil {
		return ""
	}
	paragraph, _, _ := strings.Cut(strings.TrimLeft(text[at[1]:], "\n"), "\n\n")
	if strings.HasPrefix(paragraph, "#") || strings.HasPrefix(paragraph, "```") {
		return ""
	}
	return linked.ReplaceAllString(strings.Join(strings.Fields(paragraph), " "), "$1")
}

// linked is a link with its text.
var linked = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// order is that of the fields of a front matter; others follow.
var order = []string{"doc_type", "title", "date", "summary", "significance"}

// frontMatter writes fields as YAML, with both delimiters.
func frontMatter(fields map[string]any) string {
	names := slices.Clone(order)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(order, name) {
			names = append(names, name)
		}
	}
	var b strings.Builder
	b.WriteString("---\n")
	for _, name := range names {
		// JSON is YAML in which nothing is read as something else.
		fmt.Fprintf(&b, "%s: ", name)
		if slices.Contains(vocabulary, name) {
			fmt.Fprintln(&b, fields[name])
			continue
		}
		json := json.NewEncoder(&b)
		json.SetEscapeHTML(false)
		_ = json.Encode(fields[name]) // texts and lists of them, which end with a newline
	}
	b.WriteString("---\n")
	return b.String()
}

// vocabulary are the fields that need no quotes: this package gives them one of a few words,
// or a date.
var vocabulary = []string{
	"doc_type", "date", "significance", "knowledge_type", "scope", "problem_type", "insight_type",
}
