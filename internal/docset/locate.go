package docset

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// LineOf returns the line on which the document probably links to a file. target is the file's path in the repository.
// This is the first line with target, or with the longest end of target in the document, such as adr/12.md. If there is
// no such line, it is the line of the first link with the file's name without .md, or 1.
func (d *Document) LineOf(target string) int {
	for part := target; ; {
		at := bytes.Index(d.Content, []byte(part))
		escaped := bytes.Index(d.Content, []byte((&url.URL{Path: part}).EscapedPath()))
		if at < 0 || escaped >= 0 && escaped < at {
			at = escaped
		}
		if at >= 0 {
			return 1 + bytes.Count(d.Content[:at], []byte("\n"))
		}
		_, rest, more := strings.Cut(part, "/")
		if !more || path.Base(target) == "." {
			name := regexp.QuoteMeta(strings.TrimSuffix(path.Base(target), ".md"))
			page := regexp.MustCompile(`(?i)(?:\[\[[^\]\n]*|\]\([^)\n]*\b)` + name)
			at := append(page.FindIndex(d.Content), 0)[0] // a wikilink, or a link without .md
			return 1 + bytes.Count(d.Content[:at], []byte("\n"))
		}
		part = rest
	}
}

// LineOfField returns the line of a field of the front matter, such as severity, or 1 if there is no such field. For an
// item of a list, such as tags[1] or triggers[2].run, it returns the line that begins with the item. Otherwise it
// returns the line of the list.
func (d *Document) LineOfField(field string) int {
	end := strings.IndexAny(field, ".[")
	if end < 0 {
		end = len(field)
	}
	if end == 0 {
		return 1
	}
	name, isOpen := regexp.QuoteMeta(field[:end]), false
	key := regexp.MustCompile(`^(?:["']?` + name + `["']?\s*[:=]|\s+"` + name + `"\s*:)`)
	lines := strings.Split(string(d.Content), "\n")
	for i, line := range lines {
		isFence := strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++")
		switch {
		case isFence && isOpen:
			return 1
		case isFence:
			isOpen = true
		case key.MatchString(line):
			return i + 1 + itemBelow(lines[i+1:], field[end:])
		}
	}
	return 1
}

// itemBelow counts the lines from a list's field to an item such as [2]. It returns 0 if no line begins with the item.
func itemBelow(lines []string, item string) int {
	number, _, _ := strings.Cut(strings.TrimPrefix(item, "["), "]")
	left, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	indent := -1
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		isItem := strings.HasPrefix(text, "- ") && (indent < 0 || len(line)-len(text) == indent)
		switch {
		case isItem && left == 0:
			return i + 1
		case isItem:
			indent, left = len(line)-len(text), left-1
		case text == line && text != "": // the next field
			return 0
		}
	}
	return 0
}
