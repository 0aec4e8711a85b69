package apierror

import (
	"errors"
	"fmt"
	"strings"
)

// Part is a part of a message that each front end writes in its own words: a [Call], an [Argument] or a
// [Parameter]. Its String method has the words of MCP.
type Part interface{ part() }

// Words returns a part in the words of a front end.
type Words func(part Part) string

// InMCP has the words of MCP clients.
func InMCP(part Part) string { return fmt.Sprint(part) }

// Call asks for a call of a tool. How says with which arguments, and may be "".
type Call struct{ Tool, How string }

// Argument is a value of a tool's parameter.
type Argument struct{ Parameter, Value string }

// Parameter is the name of a tool's parameter.
type Parameter string

func (Call) part()      {}
func (Argument) part()  {}
func (Parameter) part() {}

func (c Call) String() string { return strings.TrimSpace("call " + c.Tool + " " + c.How) }

func (a Argument) String() string { return fmt.Sprintf("`%s: %q`", a.Parameter, a.Value) }

// worded is an error with the values of its text.
type worded struct {
	error

	format string
	values []any
}

func (w *worded) Unwrap() error { return w.error }

// Wordf is [fmt.Errorf] for a text with values of type [Part].
func Wordf(format string, values ...any) error {
	return &worded{fmt.Errorf(format, values...), format, values}
}

// In returns the text of an error in the words of a front end. Its Error method has the words of MCP.
func In(err error, words Words) string {
	inner, ok := errors.AsType[*worded](err)
	if !ok {
		return err.Error()
	}
	values := make([]any, len(inner.values))
	for i, value := range inner.values {
		switch v := value.(type) {
		case Part:
			values[i] = words(v)
		case error:
			values[i] = errors.New(In(v, words))
		default:
			values[i] = v
		}
	}
	return strings.Replace(err.Error(), inner.Error(), fmt.Errorf(inner.format, values...).Error(), 1)
}
