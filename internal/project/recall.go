package project

import "slices"

// Recall says which hooks of an assistant are answered.
type Recall string

// The values, from the strictest to the default.
const (
	RecallOff    Recall = "off"
	RecallPrompt Recall = "prompt" // prompts alone, not edits, and no reminder to write
	RecallAll    Recall = "all"
)

// And returns the stricter of two values.
func (r Recall) And(other Recall) Recall {
	strict := []Recall{RecallOff, RecallPrompt, RecallAll}
	return strict[min(slices.Index(strict, r), slices.Index(strict, other))]
}
