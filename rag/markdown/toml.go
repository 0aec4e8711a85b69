package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/compound-docs/compound-docs/internal/project/yamlvalue"
)

// decodeTOML decodes lines of TOML into the types of decodeYAML, within the limits of decodeYAML. first is the line
// number of lines[0] in the file.
func decodeTOML(lines []string, first int) (fields map[string]any, notes []Error, err error) {
	err = toml.Unmarshal([]byte(strings.Join(lines, "\n")), &fields)
	row := 1
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, _ = e.Position()
	}
	if err != nil {
		return nil, nil, errorf(first+row-1, "the front matter is not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(fields)
	if err != nil {
		return nil, nil, errorf(first, "the front matter has a value that JSON cannot have: %v", err)
	}
	doc, err := yamlvalue.Decode(text.String(), yamlLimits)
	if err != nil {
		return nil, nil, yamlError(err, first)
	}
	fields, _ = doc.Value.(map[string]any)
	return fields, nil, nil
}
