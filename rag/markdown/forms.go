package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/project/yamlvalue"
)

// decodeTOML decodes lines of TOML. The tags of Zola's table taxonomies become those of the document.
func decodeTOML(lines []string) (value any, line int, notes []Error, err error) {
	fields := map[string]any{}
	err = toml.Unmarshal([]byte(strings.Join(lines, "\n")), &fields)
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, _ := e.Position()
		return nil, 0, nil, errorf(row, "the front matter is not valid TOML: %s", strings.TrimPrefix(e.Error(), "toml: "))
	}
	if err != nil {
		return nil, 0, nil, errorf(1, "the front matter is not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	taxonomies, _ := fields["taxonomies"].(map[string]any)
	if fields["tags"] == nil && taxonomies["tags"] != nil {
		fields["tags"] = taxonomies["tags"]
	}
	value, err = plainValue(fields)
	return value, 1, nil, err
}

// plainValue returns a value as if it had been written as YAML, within the same limits.
func plainValue(value any) (any, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, errorf(1, "the front matter has a value that JSON cannot have: %v", err)
	}
	doc, err := yamlvalue.Decode(text.String(), yamlLimits)
	if err != nil {
		return nil, yamlError(err)
	}
	return doc.Value, nil
}

// jsonStart matches the beginning of an object, as opposed to {{ and {: .class}.
var jsonStart = lazyregexp.New(`^\{\s*"`)

// readJSON reads an object, behind which the line ends. Text behind it means that it is no front matter.
func (f *frontMatter) readJSON(lines []string) error {
	last, size := f.first, 0
	for ; last < len(lines) && size < maxFrontMatterBytes; last++ {
		size += len(lines[last]) + 1
	}
	text := strings.Join(lines[f.first:last], "\n")
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	err := decoder.Decode(&object)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return errorf(f.first+lineAt([]byte(text), min(int(e.Offset), len(text))), "the front matter is not valid JSON: %v", e)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errorf(f.first+1, "the front matter that begins here is never closed; end it with a line }")
	}
	if err != nil {
		return errorf(f.first+1, "the front matter is not valid JSON: %v", err)
	}
	end := int(decoder.InputOffset())
	rest, _, _ := strings.Cut(text[end:], "\n")
	if !blank(rest) {
		return nil
	}
	value, err := plainValue(object)
	if e, ok := errors.AsType[*Error](err); ok {
		return errorf(f.first+1, "%s", e.Problem)
	}
	f.fields, _ = value.(map[string]any)
	f.body = f.first + lineAt([]byte(text), end)
	return nil
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
		name, text := strings.ToLower(found[1]), strings.TrimSpace(found[2])
		f.fields[name] = text
		if name != "tags" && name != "alias" && name != "aliases" {
			continue
		}
		list := []any{}
		for item := range strings.SplitSeq(text, ",") {
			list = append(list, strings.Trim(strings.TrimSpace(item), "#[]"))
		}
		f.fields[name] = list
	}
}
