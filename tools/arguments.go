package tools

import (
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

// maxListed bounds the wrong arguments that one error lists.
const maxListed = 10

// parameters checks the arguments of one tool against its declaration. It reports every
// fault with its place, and says what is expected with an example. It uses the engine
// that also checks front matter and config, so all three explain faults in the same words.
type parameters struct {
	tool     string
	declared *declared.Schema
	compiled *jsonschema.Schema
}

// newParameters panics, as inputSchema does, if the declaration is not a schema.
func newParameters(tool *mcp.Tool) *parameters {
	p := &parameters{tool: tool.Name}
	var doc any
	encoded, err := json.Marshal(tool.InputSchema)
	if err == nil {
		err = json.Unmarshal(encoded, &doc)
	}
	if err == nil {
		p.compiled, err = jsonschema.Compile(map[string]any{tool.Name: doc}, tool.Name, "")
	}
	var ok bool
	if p.declared, ok = tool.InputSchema.(*declared.Schema); err != nil || !ok {
		panic(fmt.Sprintf("tools: parameters of %s: %T, %v", tool.Name, tool.InputSchema, err))
	}
	return p
}

// decode checks arguments and decodes them. The error is a *apierror.Error.
func (p *parameters) decode(raw json.RawMessage, in any) error {
	given, err := p.check(raw)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(given, in); err != nil { // the type of in allows less than the declaration
		return fmt.Errorf("decode the arguments of %s: %w", p.tool, err)
	}
	return nil
}

// check returns the arguments without those that are null: clients with a form send
// null for an empty field. The error is a *apierror.Error.
func (p *parameters) check(raw json.RawMessage) (json.RawMessage, error) {
	var value any = map[string]any{}
	if len(raw) > 0 && string(raw) != "null" {
		// The transport has accepted it as JSON, so only a number can fail.
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, apierror.Errorf(apierror.InvalidArgument,
				"arguments hold a number that is out of range; give an object, for example %s",
				p.example(nil)).With("parameter", "arguments")
		}
	}
	given, ok := value.(map[string]any)
	if ok {
		maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	}
	if findings := p.compiled.Check(value); len(findings) > 0 {
		return nil, p.explain(withoutMisspelt(findings))
	}
	if name, found := parameterWithNUL(given); found {
		return nil, apierror.Errorf(apierror.InvalidArgument,
			"%s holds a NUL character (\\u0000), which neither a text nor a path may have; "+
				"leave it out, for example %s", name, p.example([]string{name})).With("parameter", name)
	}
	return json.Marshal(given) //nolint:wrapcheck // it was decoded from JSON
}

// parameterWithNUL returns the first parameter, by name, with a NUL character in its
// text or list of texts. Neither PostgreSQL nor a path can hold one. No tool has a
// parameter that is an object.
func parameterWithNUL(given map[string]any) (name string, found bool) {
	hasNUL := func(value any) bool {
		text, ok := value.(string)
		return ok && strings.ContainsRune(text, 0)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		list, _ := given[name].([]any)
		if hasNUL(given[name]) || slices.ContainsFunc(list, hasNUL) {
			return name, true
		}
	}
	return "", false
}

// withoutMisspelt drops the finding that a parameter is missing if the finding about
// its misspelt name is there too.
func withoutMisspelt(findings []jsonschema.Finding) []jsonschema.Finding {
	meant := map[string]bool{}
	for _, f := range findings {
		meant[f.Meant] = true
	}
	return slices.DeleteFunc(findings, func(f jsonschema.Finding) bool {
		return strings.HasPrefix(f.Problem, "is missing") && meant[f.Field]
	})
}

// violation describes one invalid argument in the details of an error.
type violation struct {
	Parameter string          `json:"parameter"`
	Expected  string          `json:"expected"`
	Example   json.RawMessage `json:"example"`

	message string
}

func (p *parameters) explain(findings []jsonschema.Finding) *apierror.Error {
	listed := make([]violation, 0, maxListed)
	for _, f := range findings[:min(len(findings), maxListed)] {
		listed = append(listed, p.violation(f))
	}
	if len(findings) == 1 {
		only := listed[0]
		return apierror.Errorf(apierror.InvalidArgument, "%s", only.message).
			With("parameter", only.Parameter).With("expected", only.Expected).With("example", only.Example)
	}
	var message strings.Builder
	fmt.Fprintf(&message, "%d things are wrong with the arguments", len(findings))
	if len(listed) < len(findings) {
		fmt.Fprintf(&message, ", the first %d are", len(listed))
	}
	message.WriteString(":")
	for i, v := range listed {
		fmt.Fprintf(&message, " (%d) %s", i+1, v.message)
	}
	return apierror.Errorf(apierror.InvalidArgument, "%s", message.String()).With("violations", listed)
}

func (p *parameters) violation(f jsonschema.Finding) violation {
	if f.Unknown {
		return p.unknown(f)
	}
	v := violation{Parameter: "arguments", Expected: f.Expected, Example: p.example(f.Path)}
	place := v.Parameter
	if len(f.Path) > 0 {
		v.Parameter, place = f.Path[0], f.Field
	}
	v.message = fmt.Sprintf("%s %s; give %s, for example %s", place, f.Problem, f.Expected, v.Example)
	return v
}

// unknown names the parameter that is probably meant, and all parameters. No tool
// has a parameter that is an object, so the name is the whole path.
func (p *parameters) unknown(f jsonschema.Finding) violation {
	v := violation{Parameter: fmt.Sprintf("%.60s", f.Path[0]), Expected: "no parameters", Example: p.example(nil)}
	known := "it has none"
	if names := strings.Join(p.declared.PropertyOrder, ", "); names != "" {
		v.Expected, known = "one of the parameters "+names, "its parameters: "+names
	}
	remedy := "leave it out"
	if f.Meant != "" {
		remedy = "give " + f.Meant
		v.Example = encode(map[string]json.RawMessage{f.Meant: p.example([]string{f.Meant})})
	}
	v.message = fmt.Sprintf("%q is not a parameter of %s; %s, for example %s (%s)", v.Parameter, p.tool, remedy, v.Example, known)
	return v
}

// example returns a correct value for the place: the example in the declaration, or
// else the default. For an empty path it is an object with the required parameters.
func (p *parameters) example(path []string) json.RawMessage {
	if len(path) == 0 {
		object := map[string]json.RawMessage{}
		for _, name := range p.declared.Required {
			object[name] = p.example([]string{name})
		}
		return encode(object)
	}
	declared := p.declared.Properties[path[0]]
	if len(declared.Examples) == 0 {
		return declared.Default
	}
	example := encode(declared.Examples[0])
	var list []json.RawMessage
	if len(path) > 1 && json.Unmarshal(example, &list) == nil && len(list) > 0 {
		return list[0]
	}
	return example
}

func encode(value any) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return encoded
}
