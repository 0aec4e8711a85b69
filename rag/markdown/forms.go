package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/project/yamlvalue"
)

// decodeTOML decodes lines of TOML.
func decodeTOML(lines []string, first int) (fields map[string]any, notes []Error, err error) {
	err = toml.Unmarshal([]byte(strings.Join(lines, "\n")), &fields)
	row := 1
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, _ = e.Position()
	}
	if err != nil {
		return nil, nil, errorf(first+row-1, "the front matter is not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	fields, err = plainFields(fields, first)
	return fields, nil, err
}

// plainFields returns fields as if they had been written as YAML, within the same limits.
func plainFields(fields map[string]any, line int) (map[string]any, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(fields)
	if err != nil {
		return nil, errorf(line, "the front matter has a value that JSON cannot have: %v", err)
	}
	doc, err := yamlvalue.Decode(text.String(), yamlLimits)
	if err != nil {
		return nil, yamlError(err, line)
	}
	plain, _ := doc.Value.(map[string]any)
	return plain, nil
}

// jsonStart matches the beginning of an object, as opposed to {{ and {: .class}.
var jsonStart = lazyregexp.New(`^\{\s*"`)

// readJSON reads an object. If text follows in the line of its end, it is no front matter.
func (f *frontMatter) readJSON(lines []string) error {
	text := strings.Join(lines[f.first:], "\n")
	text = text[:min(len(text), maxFrontMatterBytes)]
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	err := decoder.Decode(&object)
	end := int(decoder.InputOffset())
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		end = min(int(e.Offset), len(text))
	}
	last := f.first + lineAt([]byte(text), end)
	if err != nil {
		return errorf(last, "the front matter is not valid JSON, or is longer than %d KiB: %v", maxFrontMatterBytes>>10, err)
	}
	rest, _, _ := strings.Cut(text[end:], "\n")
	if !blank(rest) {
		return nil
	}
	f.fields, err = plainFields(object, f.first+1)
	f.body = last
	return err
}

// logseqProperty matches a property of a page of Logseq, such as "tags:: a, [[b]]".
var logseqProperty = lazyregexp.New(`^\s*(?:- )?([A-Za-z][\w-]*):: +(.*)$`)

// readLogseq reads the properties at the beginning of a page of Logseq.
func (f *frontMatter) readLogseq(lines []string) {
	f.fields = map[string]any{}
	for f.body = f.first; f.body < len(lines); f.body++ {
		found := logseqProperty().FindStringSubmatch(lines[f.body])
		if found == nil {
			return
		}
		f.fields[found[1]] = strings.TrimSpace(found[2])
		if found[1] == "tags" {
			tags := []any{}
			for tag := range strings.SplitSeq(found[2], ",") {
				tags = append(tags, strings.Trim(tag, " #[]"))
			}
			f.fields["tags"] = tags
		}
	}
}
