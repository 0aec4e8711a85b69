package docset

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// LineOf returns the first line with the longest end of a path of the repository, or 1.
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
			page := regexp.MustCompile(`(?i)\[\[[^\]\n]*` + regexp.QuoteMeta(strings.TrimSuffix(path.Base(target), ".md")))
			at := append(page.FindIndex(d.Content), 0)[0] // of a wikilink
			return 1 + bytes.Count(d.Content[:at], []byte("\n"))
		}
		part = rest
	}
}

// LineOfField returns the line of a field of the front matter, such as severity or tags[1], or 1.
func (d *Document) LineOfField(field string) int {
	end := strings.IndexAny(field, ".[")
	if end < 0 {
		end = len(field)
	}
	if end == 0 {
		return 1
	}
	key := regexp.MustCompile(`^["']?` + regexp.QuoteMeta(field[:end]) + `["']?\s*:`)
	lines := strings.Split(string(d.Content), "\n")
	for i, line := range lines[1:] {
		switch {
		case strings.HasPrefix(line, "---"):
			return 1
		case key.MatchString(line):
			return i + 2
		}
	}
	return 1
}
