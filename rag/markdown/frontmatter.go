package markdown

import (
	"errors"
	"fmt"
	"strings"

	"github.com/compound-docs/compound-docs/internal/yamlvalue"
)

const maxFrontMatterBytes = 64 << 10

// frontMatterLimits bounds what front matter may cost to parse and to store.
func frontMatterLimits() yamlvalue.Limits {
	return yamlvalue.Limits{
		Depth: 32, Values: 10_000, Text: 2 * maxFrontMatterBytes, LineOffset: firstYAMLLine - 1,
	}
}

// frontMatter is the YAML between a file's first line, which is ---, and the
// next line that is --- or "...". The zero value stands for none.
type frontMatter struct {
	yaml  string
	found bool
}

// firstYAMLLine is the line of the file on which the YAML begins, 1-based.
const firstYAMLLine = 2

// findFrontMatter returns a file's front matter and the index of the first line
// after it.
func findFrontMatter(lines []string) (frontMatter, int, error) {
	if len(lines) == 0 || strings.TrimRight(lines[0], " \t") != "---" {
		return frontMatter{}, 0, nil
	}
	for i, line := range lines[1:] {
		switch strings.TrimRight(line, " \t") {
		case "---", "...":
			return frontMatter{yaml: strings.Join(lines[1:i+1], "\n") + "\n", found: true}, i + 2, nil
		}
	}
	return frontMatter{}, 0, errorf(1, "the front matter that begins here is never closed; end it with a line ---")
}

// decode returns nil for no front matter and an empty map for an empty one. The
// error is an *Error.
func (f frontMatter) decode() (map[string]any, error) {
	if !f.found {
		return nil, nil //nolint:nilnil // No front matter is not an error, and distinct from an empty one.
	}
	if len(f.yaml) > maxFrontMatterBytes {
		return nil, errorf(1, "the front matter is longer than %d KiB", maxFrontMatterBytes>>10)
	}
	doc, err := yamlvalue.Decode(f.yaml, frontMatterLimits())
	if err != nil {
		return nil, yamlError(err)
	}
	switch value := doc.Value.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return value, nil
	default:
		return nil, errorf(doc.Line+firstYAMLLine-1, "the front matter is not a mapping; write it as lines of key: value")
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
