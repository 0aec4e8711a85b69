package markdown

import (
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

var moduleLine = lazyregexp.New(`^(import\s+(['"{*]|\w+\s*(,|from\b))|` +
	`export\s+(const|let|var|function|default|class|async|type|interface|[*{]))`)

// WithoutMDX returns the markdown of an MDX file. It blanks import and export statements, tags of components, and
// comments. It keeps front matter, code, and the number of each line.
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

// tagOfMDX matches tags of components, and comments. It also matches code spans, and the beginning of a type such as
// List<String>, so that tags in them are no matches: withoutTags leaves such text unchanged.
var tagOfMDX = lazyregexp.New("(?s)`+[^`\\n]+`+|\\w<|" +
	`</?(?:[A-Z][\w.]*(?:\s(?:[^<>"'{}]|"[^"\n]*"|'[^'\n]*'|\{(?:[^{}]|\{[^{}]*\})*\})*)?/?)?>|\{/\*.*?\*/\}`)

// withoutTags removes tags of components, and comments, except in code spans.
func withoutTags(text string) string {
	return tagOfMDX().ReplaceAllStringFunc(text, func(found string) string {
		if !strings.ContainsAny(found[:1], "<{") {
			return found
		}
		return newlines(found)
	})
}

// newlines returns as many newlines as a text has.
func newlines(text string) string {
	return strings.Repeat("\n", strings.Count(text, "\n"))
}
