package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	declared "github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

// parameters checks the arguments of one tool against its declaration.
type parameters struct {
	declared *declared.Schema
	compiled *jsonschema.Schema
}

// newParameters compiles the schema of a tool's parameters. It panics if the schema is not valid.
func newParameters(tool *mcp.Tool) *parameters {
	schema, ok := tool.InputSchema.(*declared.Schema)
	if !ok {
		panic(fmt.Sprintf("tools: parameters of %s are %T", tool.Name, tool.InputSchema))
	}
	var doc any
	if err := json.Unmarshal(encode(schema), &doc); err != nil {
		panic(fmt.Sprintf("tools: parameters of %s: %v", tool.Name, err))
	}
	compiled, err := jsonschema.Compile(map[string]any{tool.Name: doc}, tool.Name, "")
	if err != nil {
		panic(fmt.Sprintf("tools: parameters of %s: %v", tool.Name, err))
	}
	return &parameters{schema, compiled}
}

// given checks the arguments of a call, and returns the arguments that are not null. Some clients show a form for the
// arguments, and send null for an empty field.
func (p *parameters) given(raw json.RawMessage) (map[string]any, error) {
	var value any = map[string]any{}
	if len(raw) > 0 && string(raw) != "null" {
		// The transport has accepted the text as JSON, so only a number out of range can fail.
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, apierror.Refuse("arguments", "hold a number that is out of range; give an object, for example %s", p.example(""))
		}
	}
	given, _ := value.(map[string]any)
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	if faults := p.compiled.Check(value); len(faults) > 0 {
		return nil, p.explain(faults)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if strings.ContainsRune(fmt.Sprint(given[name]), 0) { // neither PostgreSQL nor a path can hold NUL
			return nil, apierror.Refuse(name, "holds a NUL character (\\u0000), which neither a text nor a path may have; "+
				"leave it out, for example %s", p.example(name))
		}
	}
	if query, ok := given["query"].(string); ok && strings.TrimSpace(query) == "" {
		return nil, apierror.Refuse("query", `is empty; give what to look for, for example "connection pool exhausted"`)
	}
	return given, nil
}

// explain returns an error that lists up to ten faults. Its details are about the first fault.
func (p *parameters) explain(faults []jsonschema.Fault) *apierror.Error {
	var formats []string
	var values []any
	for _, f := range faults[:min(len(faults), 10)] {
		name := parameterOf(f)
		formats = append(formats, "%s%s %s; give %s, for example %s")
		values = append(values, apierror.Parameter(name), strings.TrimPrefix(f.Field, name), f.Problem, f.Expected, p.example(name))
	}
	first := faults[0]
	return apierror.Errorf(apierror.InvalidArgument, strings.Join(formats, ". "), values...).
		With("parameter", parameterOf(first)).With("expected", first.Expected).With("example", p.example(parameterOf(first)))
}

func parameterOf(fault jsonschema.Fault) string {
	name, _, _ := strings.Cut(fault.Field, "[")
	return cmp.Or(name, "arguments")
}

// example returns a valid value of a parameter. For an unknown name, this is an object with all required parameters.
func (p *parameters) example(name string) json.RawMessage {
	parameter := p.declared.Properties[name]
	switch {
	case parameter == nil:
		object := map[string]json.RawMessage{}
		for _, name := range p.declared.Required {
			object[name] = p.example(name)
		}
		return encode(object)
	case len(parameter.Examples) > 0:
		return encode(parameter.Examples[0])
	}
	return parameter.Default
}

func encode(value any) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("tools: encode %T: %v", value, err))
	}
	return encoded
}

// maxQuery limits a query, in characters. An embedding model reads only approximately 2,000 of them.
const maxQuery = 10_000

// Run calls a method of [Handler] for a command. Before that, it checks the arguments like the arguments of a client.
func Run[In, Out any](ctx context.Context, h *Handler, tool string, method method[In, Out], in In) (out Out, err error) {
	arguments, err := json.Marshal(in)
	if err != nil {
		return out, apierror.Errorf(apierror.InvalidArgument, "a number of the arguments is not finite; give another one")
	}
	if _, err := h.tools()[tool].parameters().given(arguments); err != nil {
		return out, err
	}
	return method(h, ctx, in)
}

// Names converts values to strings.
func Names[T ~string](values []T) []string { return converted[string](values) }

func converted[To, From ~string](values []From) []To {
	texts := make([]To, len(values))
	for i, value := range values {
		texts[i] = To(value)
	}
	return texts
}
