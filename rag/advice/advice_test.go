package advice_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/rag/advice"
)

// A document warns of code in sentences before and behind it, and before a block. It advises other code with the same
// words in other places.
func TestLogOdds(t *testing.T) {
	t.Parallel()
	incident := advice.NewDocument("Pruning the volumes", 3)
	guide := advice.NewDocument("First steps", 3)
	for name, test := range map[string]struct {
		document advice.Document
		context  advice.Context
		warns    bool
	}{
		"never":       {incident, advice.Context{Before: "Never run ", After: " on the build host."}, true},
		"consequence": {incident, advice.Context{After: " deleted all volumes of the stage, and two days of work were lost."}, true},
		"this:":       {incident, advice.Context{Before: "This wipes the volumes of all tenants:", Block: true}, true},
		"remedy":      {incident, advice.Context{Before: "Use ", After: " instead, which leaves the volumes alone."}, false},
		"step":        {guide, advice.Context{Before: "Then start the server with ", After: "."}, false},
		"block":       {guide, advice.Context{Before: "Install the tools:", Block: true}, false},
	} {
		if odds := test.document.LogOdds(test.context); odds > 0 != test.warns {
			t.Errorf("%s: log-odds of %.2f, want a warning: %v", name, odds, test.warns)
		}
	}
}

// The sum of the features is what a document says of code, whatever its text.
func FuzzDocument(f *testing.F) {
	f.Add("Title of `code`", "Never; run (it) ", " — it's gone. Why?", true)
	f.Fuzz(func(t *testing.T, title, before, after string, block bool) {
		d, c := advice.NewDocument(title, len(before)), advice.Context{Code: before, Before: before, After: after, Block: block}
		if a, b := d.LogOdds(c), d.LogOdds(c); a != b {
			t.Errorf("%v and %v", a, b)
		}
		for _, feature := range d.Features(c) {
			if utf8.ValidString(title+before+after) && strings.ContainsAny(feature.Word, "\t\n") {
				t.Errorf("%q would break a line of the table", feature.Word)
			}
		}
	})
}
