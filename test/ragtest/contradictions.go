package ragtest

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
)

//go:embed contradictions.jsonl
var contradictions string

// Contradiction is a note that contradicts a document of corpus/, as somebody may write it a
// year later who does not know it.
type Contradiction struct {
	// Of is the document's path in the folder of the documents.
	Of    string `json:"of"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Question is one that both answer.
	Question string `json:"question"`
}

// Contradictions returns the planted ones.
func Contradictions(t *testing.T) (all []Contradiction) {
	t.Helper()
	for line := range strings.Lines(contradictions) {
		var c Contradiction
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}
