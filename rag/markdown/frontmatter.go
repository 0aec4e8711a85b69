package markdown

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/project/yamlvalue"
)

// maxFrontMatterBytes bounds what front matter may cost to parse and to store.
const maxFrontMatterBytes = 64 << 10

// firstYAMLLine is the line of the file on which the YAML begins, 1-based.
const firstYAMLLine = 2

// readFrontMatter decodes the YAML between a file's first line, which is ---, and the next
// line that is --- or "...". It returns nil for no front matter and an empty map for an
// empty one, and the index of the first line of the body. The error is an *Error.
func readFrontMatter(lines []string) (frontMatter map[string]any, body int, err error) {
	if len(lines) == 0 || strings.TrimRight(lines[0], " \t") != "---" {
		return nil, 0, nil
	}
	end := slices.IndexFunc(lines[1:], func(line string) bool {
		line = strings.TrimRight(line, " \t")
		return line == "---" || line == "..."
	})
	if end < 0 {
		return nil, 0, errorf(1, "the front matter that begins here is never closed; end it with a line ---")
	}
	text, body := strings.Join(lines[1:end+1], "\n")+"\n", end+2
	if len(text) > maxFrontMatterBytes {
		return nil, body, errorf(1, "the front matter is longer than %d KiB", maxFrontMatterBytes>>10)
	}
	doc, err := yamlvalue.Decode(text, yamlvalue.Limits{Depth: 32, Values: 10_000, Text: 2 * maxFrontMatterBytes})
	if err != nil {
		return nil, body, yamlError(err)
	}
	switch value := doc.Value.(type) {
	case nil:
		return map[string]any{}, body, nil
	case map[string]any:
		return value, body, nil
	default:
		return nil, body, errorf(doc.Line+firstYAMLLine-1, "the front matter is not a mapping; write it as lines of key: value")
	}
}

// yamlError turns an error of package yamlvalue into one about the file.
func yamlError(err error) error {
	var e *yamlvalue.Error
	if !errors.As(err, &e) {
		return err
	}
	subject := "the front matter"
	if e.Key != "" {
		subject += fmt.Sprintf(" key %q", e.Key)
	}
	return errorf(e.Line+firstYAMLLine-1, "%s %s", subject, e.Problem)
}
