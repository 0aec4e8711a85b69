package tools

import (
	"cmp"
	"math"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/compound-docs/compound-docs/rag"
)

// embeddedOutput says how much is found by its words alone.
type embeddedOutput struct {
	Embedded *float64 `json:"embedded,omitempty" jsonschema:"Part of the text found by meaning so far; the rest by words alone."`
}

// embeddedOf rounds down: 1 would say that nothing is missing.
func embeddedOf(coverage rag.Coverage) embeddedOutput {
	if coverage.Embedded == 1 {
		return embeddedOutput{}
	}
	return embeddedOutput{new(math.Floor(coverage.Embedded*100) / 100)}
}

// coverageOutput says how documents were found, where that is not as asked.
type coverageOutput struct {
	Mode rag.Mode `json:"mode,omitempty" jsonschema:"How documents were found, if not as asked."`
	embeddedOutput
}

func coverageOf(coverage rag.Coverage, asked rag.Mode) coverageOutput {
	out := coverageOutput{embeddedOutput: embeddedOf(coverage)}
	if coverage.Mode != cmp.Or(asked, rag.Hybrid) {
		out.Mode = coverage.Mode
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
