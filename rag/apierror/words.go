package apierror

import (
	"errors"
	"fmt"
	"strings"
)

// Part is a part of a message that MCP and the command line write differently: a [Call], an [Argument] or a
// [Parameter]. Its String method has the words of MCP.
type Part interface{ part() }

// Words returns a part in the words of MCP or of the command line.
type Words func(part Part) string

// InMCP is the [Words] of MCP.
func InMCP(part Part) string { return fmt.Sprint(part) }

// Call asks for a call of a tool. How names the arguments, and may be "".
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

// worded is an error that keeps its format and values, so that [In] can write the text in other words.
type worded struct {
	error

	format string
	values []any
}

func (w *worded) Unwrap() error { return w.error }

// Wordf is [fmt.Errorf], except that values may be of type [Part] and [In] can write the error in other words.
func Wordf(format string, values ...any) error {
	return &worded{fmt.Errorf(format, values...), format, values}
}

// In returns the text of an error in the given words. The Error method of the error has the words of MCP.
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
