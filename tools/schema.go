package tools

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

// property edits the schema of one property of an object, such as a parameter.
type property func(*jsonschema.Schema)

// inputSchema makes the schema of parameters from the type T, and edits the named properties. It panics if the type has
// no property with such a name.
func inputSchema[T any](properties map[string][]property) *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("tools: input schema: %v", err))
	}
	return edited(schema, properties)
}

func edited(schema *jsonschema.Schema, properties map[string][]property) *jsonschema.Schema {
	for name, edits := range properties {
		for _, edit := range edits {
			edit(schema.Properties[name])
		}
	}
	return schema
}

// between sets the smallest and the largest allowed number.
func between(low, high float64) property {
	return func(s *jsonschema.Schema) {
		s.Minimum, s.Maximum = &low, &high
		notNull(s)
	}
}

// withDefault declares a default that no config can change. Clients only read it: the handler applies the default.
func withDefault(value any) property {
	return func(s *jsonschema.Schema) {
		s.Default = encode(value)
		notNull(s)
	}
}

// example adds a valid value as an example. Error messages about the property show the example.
func example(value any) property {
	return func(s *jsonschema.Schema) { s.Examples = []any{value} }
}

func notEmpty(s *jsonschema.Schema) { s.MinLength = new(1) }

// projectName restricts a text to names that a config allows for a project.
func projectName(s *jsonschema.Schema) { s.Pattern = "^[a-z][a-z0-9-]*$" }

// queryText requires a text of 1 to maxQuery characters.
func queryText(s *jsonschema.Schema) { s.MinLength, s.MaxLength = new(1), new(maxQuery) }

// levels restricts a text, or each item of a list, to the promotion levels.
func levels(s *jsonschema.Schema) { oneOf(catalog.Levels()...)(s) }

// oneOf restricts a text, or each item of a list, to the given values.
func oneOf[T ~string](values ...T) property {
	return func(s *jsonschema.Schema) {
		notNull(s)
		if s.Items != nil {
			s = s.Items
		}
		for _, value := range values {
			s.Enum = append(s.Enum, value)
		}
	}
}

func notNull(s *jsonschema.Schema) {
	for _, t := range s.Types {
		if t != "null" {
			s.Type, s.Types = t, nil
			return
		}
	}
}

// writesIndex annotates a tool that changes the index, and destroys nothing.
func writesIndex() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// readOnly annotates a tool that changes nothing, so that clients may call it even while they only plan.
func readOnly() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false),
	}
}

// outputSchema makes the schema of an answer from the type T, and edits the named properties. Unlike the SDK's schema,
// it forbids null for an empty list or an absent field. It allows additional fields, because clients may have an older
// schema. It has no descriptions, because every session spends tokens on the schema. docs/tools.md explains the fields.
func outputSchema[T any](properties map[string][]property) *jsonschema.Schema {
	level := &jsonschema.Schema{Type: "string"}
	levels(level)
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[catalog.Level](): level},
	})
	if err != nil {
		panic(fmt.Sprintf("tools: output schema: %v", err))
	}
	open(schema)
	return edited(schema, properties)
}

func open(s *jsonschema.Schema) {
	s.AdditionalProperties = nil
	if s.Items != nil {
		notNull(s)
		open(s.Items)
	}
	for name, p := range s.Properties {
		if !slices.Contains(s.Required, name) {
			notNull(p)
		}
		open(p)
		for _, t := range p.Types { // some clients cannot read a list of types
			p.AnyOf = append(p.AnyOf, &jsonschema.Schema{Type: t})
		}
		p.Types = nil
	}
}

// declaredElsewhere removes the fields of an object, because another tool declares them too, and every session spends
// tokens on each declaration.
func declaredElsewhere(s *jsonschema.Schema) {
	object := s
	if s.Items != nil {
		object = s.Items
	}
	object.Properties, object.Required, object.PropertyOrder = nil, nil, nil
}

// alwaysLoaded makes Claude Code show the tool to the model from the first request on. Other tools are hidden until the
// model searches for tools.
func alwaysLoaded() mcp.Meta { return mcp.Meta{"anthropic/alwaysLoad": true} }

// searchHint makes Claude Code's search for tools find the tool by these words, not only by its name.
func searchHint(words string) mcp.Meta { return mcp.Meta{searchHintKey: words} }

const searchHintKey = "anthropic/searchHint"
