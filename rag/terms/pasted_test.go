package terms_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/terms"
)

func TestParts(t *testing.T) {
	t.Parallel()
	const (
		task   = "The export of the orders is empty since the update of last week, and the customers ask for it."
		more   = "It must also work for the archive, which has the orders of the former years in another table."
		short  = "Why is it empty?"
		german = "Seit dem Update der letzten Woche ist der Export der Bestellungen leer, und die Kunden fragen danach."
	)
	log := strings.Repeat("2026-03-04T08:11:02Z INFO [http.client] request finished in 182 ms\n", 8)
	trace := "Traceback (most recent call last):\n  File \"app.py\", line 3, in <module>\n    run()\nKeyError: 'since'\n"
	quoted := "> It was never meant to be used in this way by the other teams.\n> Ask before you use it, they say, and so we did.\n> And then?\n"
	for name, test := range map[string]struct{ text, said string }{
		"a question":              {short, short},
		"in front of a log":       {task + "\n\n" + log, task},
		"behind a log":            {log + task, task},
		"around a trace":          {task + "\n\n" + trace + "\n" + more, task + "\n" + more},
		"in German":               {log + german, german},
		"beside code":             {task + "\n```go\n// the caller has to close it, whatever it does with the rest\nfunc a() {\n\tb()\n}\n```\n", task},
		"beside a quotation":      {task + "\n" + quoted, task},
		"a sentence of a program": {log + "The request was not finished.\n" + log + task, task},
		"too little beside a log": {short + "\n" + log, ""},
		"a log":                   {log, ""},
		"in many lines":           {strings.Repeat(task+"\n", 9), strings.Repeat(task+"\n", 9)},
		"with two lines":          {task + "\nerror 17\nexit 1\n", task + "\nerror 17\nexit 1\n"},
	} {
		said, pasted := terms.Parts(test.text)
		if diff := cmp.Diff(test.said, said); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if isPasted := len(pasted) > 0; isPasted != (said != test.text) {
			t.Errorf("%s: pasted are %q", name, pasted)
		}
		for _, line := range pasted {
			if test.said != "" && strings.Contains(test.said, line) {
				t.Errorf("%s: %q is said and pasted", name, line)
			}
		}
	}
}
