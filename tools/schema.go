package tools

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

// property edits one property of an input schema.
type property func(*jsonschema.Schema)

// inputSchema infers the schema of T and edits the named properties. It panics if a name is wrong; then every test
// fails.
func inputSchema[T any](properties map[string][]property) *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("tools: input schema: %v", err))
	}
	return edited(schema, properties)
}

// edited applies edits to the named properties of a schema, and returns the schema.
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

// withDefault declares a default that no config can change. The handler, not the schema, puts it in.
func withDefault(value any) property {
	return func(s *jsonschema.Schema) {
		s.Default = encode(value)
		notNull(s)
	}
}

// example adds a correct value as an example. Errors about the parameter repeat it.
func example(value any) property {
	return func(s *jsonschema.Schema) { s.Examples = []any{value} }
}

// notEmpty disallows "".
func notEmpty(s *jsonschema.Schema) { s.MinLength = new(1) }

// projectName restricts a text to what a config allows as project_name.
func projectName(s *jsonschema.Schema) { s.Pattern = "^[a-z][a-z0-9-]*$" }

// queryText bounds the length of a query.
func queryText(s *jsonschema.Schema) { s.MinLength, s.MaxLength = new(1), new(maxQuery) }

// levels restricts a text, or each item of a list, to the promotion levels.
func levels(s *jsonschema.Schema) { oneEachOf(Names(catalog.Levels()))(s) }

// oneEachOf restricts a text, or each item of a list, to some values.
func oneEachOf(values []string) property {
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

// writesIndex annotates a tool that changes the index but no file.
func writesIndex() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// readOnly annotates a tool that changes nothing. A client may call it while it plans.
func readOnly() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false),
	}
}

// outputSchema infers the schema of answers and edits the named properties. Unlike the SDK's schema, it forbids null
// for an empty list or an absent field. It allows additional fields, because clients may have an older schema. It has
// no descriptions, because each session pays for the schema: docs/tools.md explains the fields.
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

// oneOf restricts a text to some values.
func oneOf(values ...any) property {
	return func(s *jsonschema.Schema) { s.Enum = values }
}

// declaredElsewhere removes the fields of an object that another tool declares too, because each session pays for every
// declaration.
func declaredElsewhere(s *jsonschema.Schema) {
	object := s
	if s.Items != nil {
		object = s.Items
	}
	object.Properties, object.Required, object.PropertyOrder = nil, nil, nil
}

// alwaysLoaded makes Claude Code show the tool to the model from the first request on. It hides other tools behind a
// search.
func alwaysLoaded() mcp.Meta { return mcp.Meta{"anthropic/alwaysLoad": true} }

// searchHint gives Claude Code's search for tools more words than the tool's name has.
func searchHint(words string) mcp.Meta { return mcp.Meta{searchHintKey: words} }

const searchHintKey = "anthropic/searchHint"
