package tools

import (
	"encoding/json"
	"fmt"

	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// property edits one property of an input schema.
type property func(*jsonschema.Schema)

// inputSchema infers the schema of T and edits the named properties. It panics if T
// has no such property: tools are declared at start, so every test would fail.
func inputSchema[T any](properties map[string][]property) *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("tools: input schema: %v", err))
	}
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

// withDefault declares the default of a parameter, which its handler fills in. One that the
// project's config can change has none here.
func withDefault(value any) property {
	return func(s *jsonschema.Schema) {
		encoded, err := json.Marshal(value)
		if err != nil {
			panic(fmt.Sprintf("tools: default: %v", err))
		}
		s.Default = encoded
		notNull(s)
	}
}

// example shows a correct value; errors about the parameter repeat it.
func example(value any) property {
	return func(s *jsonschema.Schema) { s.Examples = []any{value} }
}

// notEmpty disallows "".
func notEmpty(s *jsonschema.Schema) { s.MinLength = new(1) }

// projectName restricts a text to what a config allows as project_name.
func projectName(s *jsonschema.Schema) { s.Pattern = "^[a-z][a-z0-9-]*$" }

// queryText bounds the length of a query.
func queryText(s *jsonschema.Schema) { s.MinLength, s.MaxLength = new(1), new(maxQuery) }

// levels restricts a text to the promotion levels, or each item of a list.
func levels(s *jsonschema.Schema) {
	notNull(s)
	values := make([]any, 0, len(catalog.Levels()))
	for _, level := range catalog.Levels() {
		values = append(values, string(level))
	}
	if s.Items != nil {
		s = s.Items
	}
	s.Enum = values
}

// notNull removes "null" from the types that are inferred from pointers and slices.
func notNull(s *jsonschema.Schema) {
	for _, t := range s.Types {
		if t != "null" {
			s.Type, s.Types = t, nil
			return
		}
	}
}

// writesIndex annotates a tool that changes no file, and the index alone so that it
// follows the files.
func writesIndex() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// readOnly annotates a tool that changes nothing. A client may call it while it plans.
func readOnly() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false),
	}
}
