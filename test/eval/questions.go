package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// asked is a line of questions.jsonl: a document, a query that describes its subject in other
// words, and questions that it answers. The queries of all documents were written before the
// questions.
type asked struct {
	Path      string   `json:"_id"` //nolint:tagliatelle // the form is BEIR's
	Text      string   `json:"text"`
	Questions []string `json:"questions"`
}

// questionTasks returns the queries of questions.jsonl about a project's documents twice: as the
// documents are, and with the questions in their front matter. No document answers the others.
func questionTasks(dir, file string, others []query) ([]task, error) {
	known := map[string]asked{}
	var queries []query
	judged := map[string]judgements{}
	err := eachLine(file, func(line []byte) error {
		var a asked
		if err := json.Unmarshal(line, &a); err != nil {
			return fmt.Errorf("want a JSON object with _id, text and questions: %w", err)
		}
		q := query{ID: "p" + strconv.Itoa(len(queries)+1), Text: a.Text, Kind: "hard paraphrase"}
		known[a.Path], judged[q.ID] = a, judgements{a.Path: 1}
		queries = append(queries, q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var tasks []task
	for _, name := range []string{"paraphrases", "with-questions"} {
		c, err := readCollection(dir)
		if err != nil {
			return nil, fmt.Errorf("read the collection %s: %w", dir, err)
		}
		c.Name, c.Queries, c.Judged = name, queries, maps.Clone(judged)
		for i, d := range c.Documents {
			if a, ok := known[d.Path]; ok && name != "paraphrases" {
				c.Documents[i].Text = withQuestions(d.Text, a.Questions)
			}
		}
		tasks = append(tasks, task{c, others})
	}
	return tasks, nil
}

// withQuestions adds questions to the front matter of a document.
func withQuestions(text string, questions []string) string {
	const delimiter = "---\n"
	var lines strings.Builder
	lines.WriteString(delimiter + "questions:\n")
	for _, question := range questions {
		fmt.Fprintf(&lines, "  - %q\n", question)
	}
	return lines.String() + strings.TrimPrefix(text, delimiter)
}
