package docset

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// LineOf returns the first line that names a path of the repository: the line with the longest end
// of the path. It is 1 if no line does.
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
			return 1
		}
		part = rest
	}
}

// element is the place of a list's element, such as tags[1].
var element = regexp.MustCompile(`^([^.\[\]]+)(?:\[(\d+)\])?`)

// LineOfField returns the line of a field of the front matter, such as severity or
// tags[1], as people write it: a key on a line, and an element of a list on a line below.
// It is the line of the key, or 1, if it is written in another way.
func (d *Document) LineOfField(field string) int {
	place := element.FindStringSubmatch(field)
	if place == nil {
		return 1
	}
	key := regexp.MustCompile(`^["']?` + regexp.QuoteMeta(place[1]) + `["']?\s*:`)
	lines := strings.Split(string(d.Content), "\n")
	for i, line := range lines[1:] {
		switch {
		case strings.HasPrefix(line, "---"):
			return 1
		case key.MatchString(line):
			at := i + 2
			return at + elementBelow(lines[at:], place[2])
		}
	}
	return 1
}

// elementBelow returns how many lines below its key an element of a list is, 0 if none is
// found.
func elementBelow(lines []string, index string) int {
	n, err := strconv.Atoi(index)
	if err != nil {
		return 0
	}
	for i, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "- ") && !strings.HasPrefix(line, "---"):
			if n == 0 {
				return i + 1
			}
			n--
		case line == text && !strings.HasPrefix(text, "#"): // the next key
			return 0
		}
	}
	return 0
}
