package rank_test

import (
	"testing"

	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/rank"
)

func TestOrder_LaterOnTheSameSubjectFirst(t *testing.T) {
	t.Parallel()
	const (
		earlierTitle, earlierText = "Session lifetime", "A login session lasts 30 minutes without activity. Each request restarts the timer of the session."
		laterTitle, laterText     = "Login sessions", "Support lost drafts, so a login session now lasts eight hours without activity on any request."
	)
	for _, test := range []struct {
		name   string
		query  string
		change func(q *rank.Question, earlier, later *rank.Candidate)
		newer  string
	}{
		{"later", "", func(*rank.Question, *rank.Candidate, *rank.Candidate) {}, "later"},
		{"on the same day", "", func(_ *rank.Question, e, l *rank.Candidate) { l.Date = e.Date }, ""},
		{"without a date", "", func(_ *rank.Question, e, _ *rank.Candidate) { e.Date = "" }, ""},
		{"of a file's date", "", func(_ *rank.Question, e, _ *rank.Candidate) { e.Dated = false }, ""},
		{"than a file's date", "", func(_ *rank.Question, _, l *rank.Candidate) { l.Dated = false }, ""},
		{"in external docs", "", func(q *rank.Question, _, _ *rank.Candidate) { q.Newer = false }, ""},
		{"of a draft", "", func(q *rank.Question, _, _ *rank.Candidate) {
			q.Standings = catalog.NewStandings(map[string]catalog.Said{"later": {Status: catalog.Proposed}}, nil, nil)
		}, ""},
		{"than a promoted one", "", func(_ *rank.Question, e, _ *rank.Candidate) { e.Level = catalog.Important }, ""},
		{"with much less evidence", "", func(_ *rank.Question, _, l *rank.Candidate) { l.Bm25 /= 50 }, ""},
		{"both numbered decisions", "", func(_ *rank.Question, e, l *rank.Candidate) { e.Path, l.Path = "adr/0012-a.md", "adr/0013-b.md" }, ""},
		{"both named by their days", "", func(_ *rank.Question, e, l *rank.Candidate) {
			e.Path, l.Path = "notes/2024-01-01-a.md", "notes/2024-01-02-b.md"
		}, "notes/2024-01-02-b.md"},
		{"a title is asked for", earlierTitle, func(*rank.Question, *rank.Candidate, *rank.Candidate) {}, "later"},
		{"on another subject", "", func(_ *rank.Question, _, l *rank.Candidate) {
			l.Title, l.Content = "Vacuum of the events table", "Autovacuum lags on the partitions of last month, which bloats the index."
		}, ""},
		{"from one template", "", func(_ *rank.Question, e, l *rank.Candidate) {
			e.Title, l.Title = "Timeout of billing", "Timeout of shipping"
			e.Content = "Calls to billing end after two seconds. Then the cached rate is used and a warning is logged."
			l.Content = "Calls to shipping end after five seconds. Then the cached rate is used and a warning is logged."
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			query := test.query
			if query == "" {
				query = "how long does a login session last without activity"
			}
			q := words(t, query)
			q.Newer = true
			earlier, later := found(q, 1, "earlier", .9), found(q, 2, "later", .8)
			earlier.Date, earlier.Title, earlier.Content = "2024-01-01", earlierTitle, earlierText
			later.Date, later.Title, later.Content = "2024-01-02", laterTitle, laterText
			earlier.Dated, later.Dated = true, true
			test.change(&q, &earlier, &later)
			hits := rank.Order(q, []rank.Candidate{earlier, later}, passages)
			newer := ""
			for _, d := range q.Doubts(hits) {
				newer += hits[d.Later].Path
			}
			if hits[0].Path != earlier.Path || newer != test.newer {
				t.Errorf("%s is first, and %q newer than the earlier; want the earlier and %q", hits[0].Path, newer, test.newer)
			}
		})
	}
}
