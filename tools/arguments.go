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

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// parameters checks the arguments of one tool against its declaration.
type parameters struct {
	tool     string
	declared *declared.Schema
	compiled *jsonschema.Schema
}

// newParameters panics, as inputSchema does, if the declaration is not a schema.
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
	return &parameters{tool: tool.Name, declared: schema, compiled: compiled}
}

// decode checks and decodes arguments. It drops null, which clients with a form send for an empty field.
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
			return apierror.Refuse(name, "holds a NUL character (\\u0000), which neither a text nor a path may have; "+
				"leave it out, for example %s", p.example(name))
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

// example returns a correct value of a parameter. For an unknown name it is an object with the required ones.
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

// The schemas check the arguments of clients. These functions check the same for commands, which
// call the methods of [Handler] directly. Arguments that were not given pass.

// maxQuery bounds a query, in characters. An embedding model reads about 2,000.
const maxQuery = 10_000

const maxCount = 100

// checkQuery returns an error if the query is blank or too long.
func checkQuery(text string) error {
	const remedy = `give what to look for, for example "connection pool exhausted"`
	if strings.TrimSpace(text) == "" {
		return refuse("query", "is empty", remedy)
	}
	if len([]rune(text)) > maxQuery {
		return refuse("query", "is too long", fmt.Sprintf("give text of at most %d characters", maxQuery))
	}
	return nil
}

func checkCount(parameter string, count *int, example int) error {
	if count == nil || *count >= 1 && *count <= maxCount {
		return nil
	}
	return refuse(parameter, fmt.Sprintf("is %d", *count),
		fmt.Sprintf("give a whole number, minimum 1, maximum %d, for example %d", maxCount, example))
}

func checkScore(score *float64, example float64) error {
	if score == nil || *score >= 0 && *score <= 1 { // NaN is neither
		return nil
	}
	return refuse("min_relevance_score", fmt.Sprintf("is %g", *score),
		fmt.Sprintf("give a number, minimum 0, maximum 1, for example %g", example))
}

func checkOneOf[T ~string](parameter string, value T, allowed []T, example T) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return refuse(parameter, fmt.Sprintf("is %q", brief(string(value))),
		fmt.Sprintf("give one of %s, for example %q", strings.Join(names(allowed), ", "), example))
}

func names[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return texts
}

func checkLevel(parameter string, level, example catalog.Level) error {
	return checkOneOf(parameter, level, catalog.Levels(), example)
}

func checkMode(mode rag.Mode) error { return checkOneOf("mode", mode, rag.Modes(), rag.Hybrid) }

func refuse(parameter, problem, remedy string) error {
	return apierror.Refuse(parameter, "%s; %s", problem, remedy)
}
