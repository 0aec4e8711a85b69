package markdown

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/compound-docs/compound-docs/internal/yamlbound"
)

// Bounds of front matter: see package yamlbound, and aliases can make a short
// text into a huge value.
const (
	maxFrontMatterBytes   = 64 << 10
	maxFrontMatterDepth   = 32
	maxFrontMatterTokens  = 25_000
	maxFrontMatterKeys    = 2_000
	maxFrontMatterAliases = 1_000
	// Of what the text stands for, with every alias written out.
	maxFrontMatterValues = 10_000
	maxFrontMatterText   = 2 * maxFrontMatterBytes
)

// frontMatter is the YAML between a file's first line, which is ---, and the
// next line that is --- or "...". The zero value stands for none.
type frontMatter struct {
	yaml  string
	found bool
}

// firstYAMLLine is the line of the file that the first line of YAML is.
const firstYAMLLine = 2

// findFrontMatter returns a file's front matter and the index of the first line
// behind it.
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

// decode returns nil for no front matter and an empty map for an empty one.
func (f frontMatter) decode() (map[string]any, error) {
	if !f.found {
		return nil, nil //nolint:nilnil // No front matter is not an error, and distinct from an empty one.
	}
	tokens, err := f.tokens()
	if err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(err)
	}
	if len(file.Docs) > 1 {
		return nil, errorf(lineOf(file.Docs[1].Body), "the front matter holds a second YAML document")
	}
	if len(file.Docs) == 0 {
		return map[string]any{}, nil
	}
	d := yamlDecoder{anchors: map[string]ast.Node{}}
	root := file.Docs[0].Body
	value, err := d.value(root, "")
	if err != nil {
		return nil, err
	}
	switch value := value.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return value, nil
	default:
		return nil, errorf(lineOf(root), "the front matter is not a mapping; write it as lines of key: value")
	}
}

// tokens splits the YAML, unless it is too long or too costly to parse.
func (f frontMatter) tokens() (token.Tokens, error) {
	if len(f.yaml) > maxFrontMatterBytes {
		return nil, errorf(1, "the front matter is longer than %d KiB", maxFrontMatterBytes>>10)
	}
	tokens, err := yamlbound.Tokens(f.yaml, yamlbound.Limits{
		Depth: maxFrontMatterDepth, Tokens: maxFrontMatterTokens, Keys: maxFrontMatterKeys, Aliases: maxFrontMatterAliases,
	})
	var exceeded *yamlbound.Error
	if errors.As(err, &exceeded) {
		return nil, errorf(exceeded.Line+firstYAMLLine-1, "the front matter is too complex: %s", exceeded.Problem)
	}
	return tokens, err
}

func tooDeep(line int) error {
	return errorf(line, "the front matter nests deeper than %d brackets or levels", maxFrontMatterDepth)
}

func syntaxError(err error) error {
	var located yaml.Error
	if !errors.As(err, &located) {
		return errorf(firstYAMLLine, "the front matter is not valid YAML: %s", collapse(err.Error()))
	}
	line := firstYAMLLine
	if token := located.GetToken(); token != nil && token.Position != nil {
		line += token.Position.Line - 1
	}
	return errorf(line, "the front matter is not valid YAML: %s", collapse(located.GetMessage()))
}

// lineOf returns the line of the file that a YAML node is on.
func lineOf(node ast.Node) int {
	if node == nil || node.GetToken() == nil || node.GetToken().Position == nil {
		return firstYAMLLine
	}
	return node.GetToken().Position.Line + firstYAMLLine - 1
}

// yamlDecoder makes Go values of YAML nodes. The YAML library has a decoder of
// its own; this one bounds aliases, keeps to JSON's values and names the key
// and line of what it refuses.
type yamlDecoder struct {
	anchors map[string]ast.Node
	values  int
	text    int // bytes of all keys and values
	depth   int
}

// value decodes the node at the key path ("" for the root).
func (d *yamlDecoder) value(node ast.Node, path string) (any, error) {
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > maxFrontMatterDepth {
		return nil, tooDeep(lineOf(node))
	}
	if d.values++; d.values > maxFrontMatterValues {
		return nil, errorf(lineOf(node), "the front matter holds more than %d values", maxFrontMatterValues)
	}
	switch node := node.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		return nil, nil //nolint:nilnil // YAML's null.
	case *ast.BoolNode:
		return node.Value, nil
	case *ast.IntegerNode:
		return integer(node.Value), nil
	case *ast.FloatNode:
		if math.IsInf(node.Value, 0) || math.IsNaN(node.Value) {
			return nil, keyError(node, path, "is beyond the range of numbers")
		}
		return node.Value, nil
	case *ast.StringNode:
		return d.storable(node, node.Value, path)
	case *ast.LiteralNode:
		return d.storable(node, node.Value.Value, path)
	case *ast.MappingNode:
		return d.mapping(node.Values, path)
	case *ast.MappingValueNode:
		return d.mapping([]*ast.MappingValueNode{node}, path)
	case *ast.SequenceNode:
		return d.sequence(node, path)
	case *ast.AnchorNode:
		value, err := d.value(node.Value, path)
		// Known only now: an alias inside its own anchor has no value.
		d.anchors[nodeText(node.Name)] = node.Value
		return value, err
	case *ast.AliasNode:
		name := nodeText(node.Value)
		target, ok := d.anchors[name]
		if !ok {
			return nil, keyError(node, path, "refers to *%s, which is not defined before it", name)
		}
		return d.value(target, path)
	case *ast.TagNode:
		return d.tagged(node, path)
	default:
		return nil, keyError(node, path, "is a %s, which has no JSON equivalent", strings.ToLower(node.Type().String()))
	}
}

func (d *yamlDecoder) mapping(entries []*ast.MappingValueNode, path string) (any, error) {
	values := make(map[string]any, len(entries))
	lines := make(map[string]int, len(entries))
	for _, entry := range entries {
		key, err := d.keyText(entry.Key, path)
		if err != nil {
			return nil, err
		}
		keyPath := key
		if path != "" {
			keyPath = shortened(path) + "." + key
		}
		if first, ok := lines[key]; ok {
			return nil, keyError(entry.Key, keyPath, "is given twice, first on line %d", first)
		}
		lines[key] = lineOf(entry.Key)
		if values[key], err = d.value(entry.Value, keyPath); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (d *yamlDecoder) sequence(node *ast.SequenceNode, path string) (any, error) {
	values := make([]any, 0, len(node.Values))
	for i, item := range node.Values {
		value, err := d.value(item, fmt.Sprintf("%s[%d]", shortened(path), i))
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// tagged decodes a value with an explicit type. Only !!str changes anything.
func (d *yamlDecoder) tagged(node *ast.TagNode, path string) (any, error) {
	switch tag := node.Start.Value; tag {
	case "!!str":
		if scalar, ok := node.Value.(ast.ScalarNode); ok && scalar.Type() != ast.StringType && scalar.Type() != ast.LiteralType {
			return d.storable(node, nodeText(scalar), path)
		}
		return d.value(node.Value, path)
	case "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!map", "!!seq":
		return d.value(node.Value, path)
	default:
		return nil, keyError(node, path, "has the tag %s, which has no JSON equivalent", tag)
	}
}

func (d *yamlDecoder) keyText(key ast.MapKeyNode, path string) (string, error) {
	switch key := key.(type) {
	case *ast.StringNode:
		return d.storable(key, key.Value, path)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return nodeText(key), nil
	case *ast.MergeKeyNode:
		return "", keyError(key, path, "holds a merge key (<<); write the keys out")
	default:
		return "", keyError(key, path, "holds a key that is not a plain text")
	}
}

// nodeText returns a scalar as the file has it.
func nodeText(node ast.Node) string {
	if node == nil || node.GetToken() == nil {
		return ""
	}
	return node.GetToken().Value
}

// maxShownPath bounds the path of keys in a message.
const maxShownPath = 200

// shortened leaves out the beginning of a path that is too long to be shown: it
// is built for each of the values.
func shortened(path string) string {
	if len(path) <= maxShownPath {
		return path
	}
	return "…" + strings.ToValidUTF8(path[len(path)-maxShownPath:], "")
}

// storable refuses what escapes can make and a PostgreSQL text cannot hold, and
// more text than a front matter can have without aliases.
func (d *yamlDecoder) storable(node ast.Node, s, path string) (string, error) {
	if d.text += len(s); d.text > maxFrontMatterText {
		return "", errorf(lineOf(node), "the front matter holds more than %d KiB with its aliases written out", maxFrontMatterText>>10)
	}
	if strings.ContainsRune(s, 0) {
		return "", keyError(node, path, "holds a NUL character")
	}
	if !utf8.ValidString(s) {
		return "", keyError(node, path, "is not valid UTF-8")
	}
	return s, nil
}

// integer returns an int where one can hold the value.
func integer(value any) any {
	switch value := value.(type) {
	case int64:
		if int64(int(value)) == value {
			return int(value)
		}
	case uint64:
		if value <= math.MaxInt {
			return int(value)
		}
	}
	return value
}

func keyError(node ast.Node, path, format string, args ...any) error {
	subject := "the front matter"
	if path != "" {
		subject = fmt.Sprintf("the front matter key %q", shortened(path))
	}
	return errorf(lineOf(node), "%s %s", subject, fmt.Sprintf(format, args...))
}
