package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	declared "github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/jsonschema"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

// parameters checks the arguments of one tool against its declaration, in the words that
// are also used for front matter and config.
type parameters struct {
	tool     string
	declared *declared.Schema
	compiled *jsonschema.Schema
}

// newParameters panics, as inputSchema does, if the declaration is not a schema.
func newParameters(tool *mcp.Tool) *parameters {
	p := &parameters{tool: tool.Name}
	var ok bool
	if p.declared, ok = tool.InputSchema.(*declared.Schema); !ok {
		panic(fmt.Sprintf("tools: parameters of %s are %T", tool.Name, tool.InputSchema))
	}
	var doc any
	err := json.Unmarshal(encode(p.declared), &doc)
	if err == nil {
		p.compiled, err = jsonschema.Compile(map[string]any{tool.Name: doc}, tool.Name, "")
	}
	if err != nil {
		panic(fmt.Sprintf("tools: parameters of %s: %v", tool.Name, err))
	}
	return p
}

// decode checks arguments and decodes them. It drops those that are null: clients with a form
// send null for an empty field. The error is a *apierror.Error.
func (p *parameters) decode(raw json.RawMessage, in any) error {
	var value any = map[string]any{}
	if len(raw) > 0 && string(raw) != "null" {
		// The transport has accepted it as JSON, so only a number can fail.
		if err := json.Unmarshal(raw, &value); err != nil {
			return apierror.Errorf(apierror.InvalidArgument,
				"arguments hold a number that is out of range; give an object, for example %s",
				p.example("")).With("parameter", "arguments")
		}
	}
	given, _ := value.(map[string]any)
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	if faults := p.compiled.Check(value); len(faults) > 0 {
		return p.explain(faults)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if strings.ContainsRune(fmt.Sprint(given[name]), 0) { // neither PostgreSQL nor a path can hold one
			return apierror.Errorf(apierror.InvalidArgument,
				"%s holds a NUL character (\\u0000), which neither a text nor a path may have; "+
					"leave it out, for example %s", name, p.example(name)).With("parameter", name)
		}
	}
	if err := json.Unmarshal(encode(given), in); err != nil { // the type of in allows less than the declaration
		return fmt.Errorf("decode the arguments of %s: %w", p.tool, err)
	}
	return nil
}

// explain returns the error for what is wrong with arguments. Its details are about the first fault.
func (p *parameters) explain(faults []jsonschema.Fault) *apierror.Error {
	messages := make([]string, 0, len(faults))
	for _, f := range faults[:min(len(faults), 10)] {
		messages = append(messages, fmt.Sprintf("%s %s; give %s, for example %s",
			cmp.Or(f.Field, "arguments"), f.Problem, f.Expected, p.example(parameterOf(f))))
	}
	first := faults[0]
	return apierror.Errorf(apierror.InvalidArgument, "%s", strings.Join(messages, ". ")).
		With("parameter", parameterOf(first)).With("expected", first.Expected).With("example", p.example(parameterOf(first)))
}

// parameterOf returns the name of the parameter that a fault is about.
func parameterOf(fault jsonschema.Fault) string {
	name, _, _ := strings.Cut(fault.Field, "[")
	return cmp.Or(name, "arguments")
}

// example returns a correct value of a parameter: the example in the declaration, or else the
// default. For a name that is not known it is an object with the required parameters.
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

// encode encodes a value that JSON can hold.
func encode(value any) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("tools: encode %T: %v", value, err))
	}
	return encoded
}
