package markdown_test

import (
	"testing"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

const ambiguous = "two days"

// dayCases are texts and their days, "" for none.
var dayCases = map[string]map[string]string{
	// The cases by which the patterns were made.
	"first": {
		"2022-03-04": "2022-03-04", "2024-1-5": "2024-01-05", "20241222": "2024-12-22", "2024/12/22": "2024-12-22",
		"2024-12-20T22:30:00-05:00": "2024-12-20", "19/12/2024": "2024-12-19", "12/19/2024": "2024-12-19", "03/04/2024": ambiguous,
		"04/04/2024": "2024-04-04", "3.4.2024": "2024-04-03", "December 23, 2024": "2024-12-23", "23 December 2024": "2024-12-23",
		"Dec 23 2024": "2024-12-23", "23rd of December, 2024": "2024-12-23", "31/31/2024": "", "2024-02-30": "", "soon": "", "": "", "1.10": "",
	},
	// Written apart, and not looked at while the patterns were made.
	"held out": {
		"2023-11-09 (updated 2024-01-02)": "2023-11-09", "2023.11.09": "2023-11-09", "Tue, 7 Jan 2025": "2025-01-07",
		"Thursday, February 29, 2024": "2024-02-29", "Sept. 5, 2023": "2023-09-05", "May 3, 2023 4:11 PM": "2023-05-03",
		"1st March 2021": "2021-03-01", "31-01-2020": "2020-01-31", "05-06-2020": ambiguous, "05.06.2020": "2020-06-05",
		"**2022-08-30**": "2022-08-30", "`2022-08-30`": "2022-08-30", "30/02/2024": "", "2024": "", "March 2024": "", "Q3 2024": "",
		"1733011200": "", "v2024.1.2": "", "10/11/12": "", "Marchetti 3, 2024": "", "2024-13-01": "", "202412221": "",
	},
}

func TestDay_ReadsWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for set, cases := range dayCases {
		right := 0
		for text, want := range cases {
			got, isAmbiguous := markdown.Day(text)
			if isAmbiguous {
				got += ambiguous
			}
			if got != want {
				t.Errorf("%s: %q is %q, want %q", set, text, got, want)
				continue
			}
			right++
		}
		t.Logf("%s: %d of %d right", set, right, len(cases))
	}
}

// A date is in the front matter, or in a line before the first section. Many are as public collections of proposals
// have them.
func TestDocument_Date(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"# 12. Keep two schedulers\n\nDate: 2022-03-04\n\n## Status\n": "2022-03-04",
		"# A\n\n* Status: accepted\n* Date: 2022-03-04\n":              "2022-03-04",
		"# A\n\n- **Date:** 4 March 2022\n":                            "2022-03-04",
		"# A\n\n**Date**: March 4, 2022\n":                             "2022-03-04",
		"# A\n\nCreated: May 3, 2023 4:11 PM\nTags: infra, db\n":       "2023-05-03",
		"# A\n\n| Status | done |\n|---|---|\n| Date | 2022-03-04 |\n": "2022-03-04",
		"---\ndate: December 23, 2024\n---\n# A\n\nDate: 2022-03-04\n": "2024-12-23",
		"---\ntitle: a\n---\nDate: 2022-03-04\n":                       "2022-03-04",
		"Created at: 20220304\n\nText.\n":                              "2022-03-04",
		"# A\n\nDate: 03/04/2024\n":                                    ambiguous,
		"---\ndate: 03/04/2024\n---\n# A\n":                            ambiguous,
		"# A\n\n## History\n\nDate: 2022-03-04\n":                      "",
		"# A\n\n```\nDate: 2022-03-04\n```\n":                          "",
		"# A\n\nUpdate: 2022-03-04\n":                                  "",
		"# A\n\nThe date: 2022-03-04 was chosen.\n":                    "",
		"# A\n\nDate: to be decided\nCreated: 2022-03-04\n":            "2022-03-04",
		"- Feature Name: a\n- Start Date: 2022-03-04\n\n# Summary\n":   "2022-03-04",
		"# A\n\nAuthor: B\n\nLast updated: June 30th, 2015<br>\n":      "2015-06-30",
		"# A\n\nLast Updated: 19 May 2021 (as built)\n":                "2021-05-19",
		"# A\n\nDate: 2022-03-04\n\nUpdated: 2023-01-02\\\n":           "2023-01-02",
		"---\nCreated: 03-Mar-2022\n---\n# A\n":                        "2022-03-03",
		"# A\n\nLast updated by: 2022-03-04\n":                         "",
		"---\nstart-date: 2014-08-14T00:00:00.000Z\n---\n# A\n":        "2014-08-14",
		"---\nCreated: 2020-03-21\nUpdated: 2021-04-05\n---\n# A\n":    "2021-04-05",
		"---\ncreatedAt: 2020-03-21\nlastmod: 2021-04-05\n---\n# A\n":  "2021-04-05",
		"---\ntimestamp: 2021-04-05T14:30:00Z\n---\n# A\n":             "2021-04-05",
		"---\ngenerated: {by: a, at: 2021-04-05T14:30:00Z}\n---\n":     "2021-04-05",
		"---\ndate: 2020-03-21\nupdated: 2021-04-05\n---\n# A\n":       "2020-03-21",
		"---\npublished: true\nexpires: 2030-01-01\n---\n# A\n":        "",
	} {
		doc := parse(t, src)
		got := doc.Date
		if len(doc.Notes) > 0 {
			got += ambiguous
		}
		if got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
	if notes := parse(t, "# A\n\nDate: 03/04/2024\n").Notes; len(notes) != 1 || notes[0].Line != 3 {
		t.Errorf("notes %v, want one of line 3", notes)
	}
}
