package tools

import (
	"cmp"
	"math"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

// coverageOutput says how documents were found, where that is not as asked.
type coverageOutput struct {
	Mode              rag.Mode `json:"mode,omitempty" jsonschema:"How documents were found, if not as asked."`
	ModeReason        string   `json:"mode_reason,omitempty" jsonschema:"Why they were found by words alone."`
	RetryAfterSeconds float64  `json:"retry_after_seconds,omitempty" jsonschema:"When to try again by meaning."`
	Embedded          *float64 `json:"embedded,omitempty" jsonschema:"Part of the text found by meaning so far; the rest by words alone."`
}

func coverageOf(coverage rag.Coverage, asked rag.Mode) coverageOutput {
	var out coverageOutput
	if coverage.Embedded != 1 { // rounded down: 1 would say that nothing is missing
		out.Embedded = new(math.Floor(coverage.Embedded*100) / 100)
	}
	if coverage.Mode != cmp.Or(asked, rag.Hybrid) {
		out.Mode = coverage.Mode
	}
	if coverage.Fallback != nil {
		e := apierror.AsError(coverage.Fallback)
		out.ModeReason = brief(e.Error())
		out.RetryAfterSeconds, _ = e.Details["retry_after_seconds"].(float64)
	}
	return out
}

// modes restricts a text to the modes of a search.
func modes(s *jsonschema.Schema) {
	for _, mode := range rag.Modes() {
		s.Enum = append(s.Enum, string(mode))
	}
	withDefault(rag.Hybrid)(s)
}
