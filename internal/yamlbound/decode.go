package yamlbound

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
)

// Document is a decoded YAML document.
type Document struct {
	// Value holds only what JSON can: nil, bool, int (uint64 beyond it), float64,
	// string, []any and map[string]any. It is nil for an empty document.
	Value any
	// Line is where the value begins, 1-based.
	Line int
}

// Decode decodes tokens that [Tokens] returned. The error is an *Error.
func Decode(tokens token.Tokens, limits Limits) (Document, error) {
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // the decoder finds them
	if err != nil {
		return Document{}, syntaxError(err)
	}
	switch len(file.Docs) {
	case 0:
		return Document{Line: 1}, nil
	case 1:
	default:
		return Document{}, errorAt(file.Docs[1].Body, BadValue, "", "holds a second YAML document")
	}
	d := decoder{limits: limits, anchors: map[string]ast.Node{}}
	root := file.Docs[0].Body
	value, err := d.value(root, "")
	if err != nil {
		return Document{}, err
	}
	return Document{Value: value, Line: position(root).Line}, nil
}

func syntaxError(err error) *Error {
	e := &Error{Line: 1, Column: 1, Kind: BadSyntax}
	if located, ok := errors.AsType[yaml.Error](err); ok {
		// Its Error prints the source, in memory that grows with the square of the tokens.
		e.Problem = located.GetMessage()
		if tk := located.GetToken(); tk != nil && tk.Position != nil {
			e.Line, e.Column = tk.Position.Line, tk.Position.Column
		}
	} else {
		e.Problem = err.Error()
	}
	e.Problem = strings.Join(strings.Fields(e.Problem), " ")
	return e
}

// position returns where a node begins, the first character if that is unknown.
func position(node ast.Node) token.Position {
	if node == nil || node.GetToken() == nil || node.GetToken().Position == nil {
		return token.Position{Line: 1, Column: 1}
	}
	return *node.GetToken().Position
}

func errorAt(node ast.Node, kind Kind, key, format string, args ...any) *Error {
	at := position(node)
	return &Error{Line: at.Line, Column: at.Column, Kind: kind, Key: shortened(key), Problem: fmt.Sprintf(format, args...)}
}

// decoder turns YAML nodes into Go values. Unlike the library's own decoder it
// bounds aliases, accepts only what JSON can hold and names the key and the place of
// an error.
type decoder struct {
	limits  Limits
	anchors map[string]ast.Node
	values  int
	text    int // bytes of all keys and values
	depth   int
}

// value decodes the node at the key path ("" for the root).
func (d *decoder) value(node ast.Node, path string) (any, error) {
	d.depth++
	defer func() { d.depth-- }()
	if err := d.count(node); err != nil {
		return nil, err
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
			return nil, errorAt(node, BadValue, path, "is beyond the range of numbers")
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
		// Only now: an alias inside its own anchor has no value.
		d.anchors[nodeText(node.Name)] = node.Value
		return value, err
	case *ast.AliasNode:
		target, ok := d.anchors[nodeText(node.Value)]
		if !ok {
			return nil, errorAt(node, BadValue, path, "refers to *%s, which is not defined before it", nodeText(node.Value))
		}
		return d.value(target, path)
	case *ast.TagNode:
		return d.tagged(node, path)
	default:
		kind := strings.ToLower(node.Type().String())
		return nil, errorAt(node, BadValue, path, "is of the type %s, which has no JSON equivalent", kind)
	}
}

// count counts a value, and bounds how many there are and how deep they nest.
func (d *decoder) count(node ast.Node) error {
	if d.depth > d.limits.Depth {
		return errorAt(node, TooComplex, "", "it nests deeper than %d levels", d.limits.Depth)
	}
	if d.values++; d.values > d.limits.Values {
		return errorAt(node, BadValue, "", "holds more than %d values", d.limits.Values)
	}
	return nil
}

func (d *decoder) mapping(entries []*ast.MappingValueNode, path string) (any, error) {
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
			return nil, errorAt(entry.Key, BadValue, keyPath, "is given twice, first on line %d", first+d.limits.LineOffset)
		}
		lines[key] = position(entry.Key).Line
		if values[key], err = d.value(entry.Value, keyPath); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (d *decoder) sequence(node *ast.SequenceNode, path string) (any, error) {
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
func (d *decoder) tagged(node *ast.TagNode, path string) (any, error) {
	switch tag := node.Start.Value; tag {
	case "!!str":
		if scalar, ok := node.Value.(ast.ScalarNode); ok && scalar.Type() != ast.StringType && scalar.Type() != ast.LiteralType {
			return d.storable(node, nodeText(scalar), path)
		}
		return d.value(node.Value, path)
	case "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!map", "!!seq":
		return d.value(node.Value, path)
	default:
		return nil, errorAt(node, BadValue, path, "has the tag %s, which has no JSON equivalent", tag)
	}
}

func (d *decoder) keyText(key ast.MapKeyNode, path string) (string, error) {
	switch key := key.(type) {
	case *ast.StringNode:
		return d.storable(key, key.Value, path)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return nodeText(key), nil
	case *ast.MergeKeyNode:
		return "", errorAt(key, BadValue, path, "holds a merge key (<<); write the keys out")
	default:
		return "", errorAt(key, BadValue, path, "holds a key that is not a plain text")
	}
}

// nodeText returns a scalar as it is written.
func nodeText(node ast.Node) string {
	if node == nil || node.GetToken() == nil {
		return ""
	}
	return node.GetToken().Value
}

// maxShownPath is the length in bytes from which a path of keys is shortened.
const maxShownPath = 200

// shortened cuts off the beginning of a path that is too long to be shown.
func shortened(path string) string {
	if len(path) <= maxShownPath {
		return path
	}
	return "…" + strings.ToValidUTF8(path[len(path)-maxShownPath:], "")
}

// storable returns s, or an error if it holds what a PostgreSQL text cannot (escapes
// can produce it), or if all texts together exceed the limit.
func (d *decoder) storable(node ast.Node, s, path string) (string, error) {
	if d.text += len(s); d.text > d.limits.Text {
		return "", errorAt(node, BadValue, "", "holds more than %d KiB with its aliases written out", d.limits.Text>>10)
	}
	if strings.ContainsRune(s, 0) {
		return "", errorAt(node, BadValue, path, "holds a NUL character")
	}
	if !utf8.ValidString(s) {
		return "", errorAt(node, BadValue, path, "is not valid UTF-8")
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
