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
			return apierror.Errorf(apierror.InvalidArgument, "arguments hold a number that is out of range; give an object, for example %s",
				p.example(nil)).With("parameter", "arguments")
		}
	}
	given, _ := value.(map[string]any)
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	if findings := p.compiled.Check(value); len(findings) > 0 {
		return p.explain(findings)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if strings.ContainsRune(fmt.Sprint(given[name]), 0) { // neither PostgreSQL nor a path can hold one
			return apierror.Errorf(apierror.InvalidArgument, "%s holds a NUL character (\\u0000), which neither a text nor a path may have; "+
				"leave it out, for example %s", name, p.example([]string{name})).With("parameter", name)
		}
	}
	if err := json.Unmarshal(encode(given), in); err != nil { // the type of in allows less than the declaration
		return fmt.Errorf("decode the arguments of %s: %w", p.tool, err)
	}
	return nil
}

// explain returns the error for what is wrong with arguments. Its details are about the first fault.
func (p *parameters) explain(findings []jsonschema.Finding) *apierror.Error {
	meant := map[string]bool{}
	for _, f := range findings {
		meant[f.Meant] = true
	}
	findings = slices.DeleteFunc(findings, func(f jsonschema.Finding) bool { // its misspelling is among them
		return strings.HasPrefix(f.Problem, "is missing") && meant[f.Field]
	})
	messages := make([]string, 0, len(findings))
	for i, f := range findings[:min(len(findings), 10)] {
		message := fmt.Sprintf("%s %s; give %s, for example %s", cmp.Or(f.Field, "arguments"), f.Problem, f.Expected, p.example(f.Path))
		if f.Unknown {
			message = p.unknown(f)
		}
		if len(findings) > 1 {
			message = fmt.Sprintf("(%d) %s", i+1, message)
		}
		messages = append(messages, message)
	}
	if len(findings) > 1 {
		messages = slices.Insert(messages, 0, fmt.Sprintf("%d things are wrong with the arguments:", len(findings)))
	}
	first := findings[0]
	if first.Unknown {
		first.Expected = "no parameters"
		if names := p.declared.PropertyOrder; len(names) > 0 {
			first.Expected = "one of the parameters " + strings.Join(names, ", ")
		}
	}
	parameter := "arguments"
	if len(first.Path) > 0 {
		parameter = fmt.Sprintf("%.60s", first.Path[0])
	}
	e := apierror.Errorf(apierror.InvalidArgument, "%s", strings.Join(messages, " "))
	return e.With("parameter", parameter).With("expected", first.Expected).With("example", p.example(first.Path))
}

// unknown names the parameter that is probably meant, and all parameters. No tool has a
// parameter that is an object, so the name is the whole path.
func (p *parameters) unknown(f jsonschema.Finding) string {
	known, remedy, example := "it has none", "leave it out", p.example(nil)
	if names := strings.Join(p.declared.PropertyOrder, ", "); names != "" {
		known = "its parameters: " + names
	}
	if f.Meant != "" {
		remedy = "give " + f.Meant
		example = encode(map[string]json.RawMessage{f.Meant: p.example([]string{f.Meant})})
	}
	return fmt.Sprintf("\"%.60s\" is not a parameter of %s; %s, for example %s (%s)", f.Path[0], p.tool, remedy, example, known)
}

// example returns a correct value for a place: the example in the declaration, or else the
// default. For an empty path, and for one that is not known, it is an object with the
// required parameters.
func (p *parameters) example(path []string) json.RawMessage {
	var parameter *declared.Schema
	if len(path) > 0 {
		parameter = p.declared.Properties[path[0]]
	}
	if parameter == nil {
		object := map[string]json.RawMessage{}
		for _, name := range p.declared.Required {
			object[name] = p.example([]string{name})
		}
		return encode(object)
	}
	if len(parameter.Examples) == 0 {
		return parameter.Default
	}
	example := encode(parameter.Examples[0])
	var list []json.RawMessage
	if len(path) > 1 && json.Unmarshal(example, &list) == nil && len(list) > 0 {
		return list[0]
	}
	return example
}

// encode encodes a value that JSON can hold.
func encode(value any) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("tools: encode %T: %v", value, err))
	}
	return encoded
}
