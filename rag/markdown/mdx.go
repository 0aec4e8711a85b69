package markdown

import (
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

var (
	moduleLine = lazyregexp.New(`^(import\s+(['"{*]|\w+\s*(,|from\b))|` +
		`export\s+(const|let|var|function|default|class|async|type|interface|[*{]))`)
	wordEnd = lazyregexp.New(`\w$`)
	tagName = lazyregexp.New(`^</?([A-Z][\w.]*[\s/>]|>)`)
)

// WithoutMDX returns the markdown of an MDX file: import and export statements, tags of components and comments are
// gone. Lines keep their numbers. Front matter and code stay.
func WithoutMDX(src []byte) []byte {
	var kept strings.Builder
	rest := string(src)
	if strings.HasPrefix(rest, "---\n") || strings.HasPrefix(rest, "---\r\n") {
		if end := strings.Index(rest, "\n---"); end > 0 {
			kept.WriteString(rest[:end+1])
			rest = rest[end+1:]
		}
	}
	block, inModule, depth, afterText := "", false, 0, false
	var prose strings.Builder // since the last code block
	flush := func() {
		kept.WriteString(withoutTags(prose.String()))
		prose.Reset()
	}
	for line := range strings.Lines(rest) {
		var isText bool
		block, isText = BlockBehind(block, line)
		text := strings.TrimSpace(line)
		switch {
		case !isText:
			inModule, afterText = false, true
			flush()
			kept.WriteString(line)
			continue
		case inModule && text == "" && depth <= 0:
			inModule = false
		case !inModule && !afterText && moduleLine().MatchString(line):
			inModule, depth = true, 0
		}
		afterText = text != "" && !inModule && text != "---"
		if inModule {
			depth += strings.Count(line, "{") + strings.Count(line, "(") - strings.Count(line, "}") - strings.Count(line, ")")
			line = newlines(line)
		}
		prose.WriteString(line)
	}
	flush()
	return []byte(kept.String())
}

// withoutTags removes tags of components and comments, except in code spans.
func withoutTags(text string) string {
	var kept strings.Builder
	for len(text) > 0 {
		at := strings.IndexAny(text, "`<{")
		if at < 0 {
			break
		}
		kept.WriteString(text[:at])
		inWord := wordEnd().MatchString(text[:at]) // as in List<String>
		text = text[at:]
		near := text[:min(len(text), maxTag)]
		span, removed := 1, 0
		switch {
		case near[0] == '`': // a code span, or its backticks without an end
			span = len(near) - len(strings.TrimLeft(near, "`"))
			if end := strings.Index(near[span:], near[:span]); end >= 0 {
				span += end + span
			}
		case strings.HasPrefix(near, "{/*") && strings.Contains(near, "*/}"):
			removed = strings.Index(near, "*/}") + len("*/}")
		case !inWord && tagName().MatchString(near):
			removed = tagEnd(near)
		}
		if removed > 0 {
			kept.WriteString(newlines(text[:removed]))
			text = text[removed:]
			continue
		}
		kept.WriteString(text[:span])
		text = text[span:]
	}
	kept.WriteString(text)
	return kept.String()
}

// maxTag bounds a tag with its attributes, a comment and a code span, in bytes.
const maxTag = 1000

// tagEnd returns the length of the tag at the beginning of a text, or 0. An attribute may be a text or an expression
// that has > in it.
func tagEnd(text string) int {
	quote, depth := byte(0), 0
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '>' && depth <= 0:
			return i + 1
		}
	}
	return 0
}

func newlines(text string) string {
	return strings.Repeat("\n", strings.Count(text, "\n"))
}
