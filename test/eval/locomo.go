package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// convertLoCoMo writes LoCoMo (Maharana et al., 2024) as a collection in BEIR's form. A document is a
// session, and a project is a dialogue. The sessions that a question's evidence names answer it.
// Questions of the fifth category mix up who said something; their evidence is where it was said.
func convertLoCoMo(file, dir string) error {
	kinds := map[int]string{1: "several sessions", 2: "time", 3: "open", 4: "one session", 5: "mixed up"}
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var samples []struct {
		ID           string                     `json:"sample_id"`
		Conversation map[string]json.RawMessage `json:"conversation"`
		Questions    []struct {
			Question string   `json:"question"`
			Evidence []string `json:"evidence"` // such as D8:6, turn 6 of session 8
			Category int      `json:"category"`
		} `json:"qa"`
	}
	if err := json.Unmarshal(source, &samples); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	session := regexp.MustCompile(`D(\d+):`)
	var documents, queries []any
	qrels := []string{"query-id\tcorpus-id\tscore"}
	for _, sample := range samples {
		sessions, err := sessionsOf(sample.ID, sample.Conversation)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		documents = append(documents, sessions...)
		for i, q := range sample.Questions {
			answers := map[string]bool{}
			for _, found := range session.FindAllStringSubmatch(strings.Join(q.Evidence, " "), -1) {
				answers[sample.ID+"-"+found[1]] = true
			}
			if kinds[q.Category] == "" || len(answers) == 0 {
				continue
			}
			id := fmt.Sprintf("%s-q%d", sample.ID, i)
			queries = append(queries, query{ID: id, Text: q.Question, Kind: kinds[q.Category]})
			for _, answer := range slices.Sorted(maps.Keys(answers)) {
				qrels = append(qrels, id+"\t"+answer+"\t1")
			}
		}
	}
	for name, rows := range map[string][]any{"corpus.jsonl": documents, "queries.jsonl": queries} {
		if err := writeRows(filepath.Join(dir, name), rows); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d documents, %d questions\n", dir, len(documents), len(queries))
	return write(filepath.Join(dir, "qrels.tsv"), strings.Join(qrels, "\n")+"\n")
}

// sessionsOf returns a document for each session of a dialogue.
func sessionsOf(id string, conversation map[string]json.RawMessage) (documents []any, err error) {
	for i := 1; conversation[fmt.Sprintf("session_%d", i)] != nil; i++ {
		var turns []struct {
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
		}
		if err := json.Unmarshal(conversation[fmt.Sprintf("session_%d", i)], &turns); err != nil {
			return nil, fmt.Errorf("session %d of %s: %w", i, id, err)
		}
		var said []string
		for _, turn := range turns {
			said = append(said, turn.Speaker+": "+turn.Text)
		}
		documents = append(documents, document{
			ID:      fmt.Sprintf("%s-%d", id, i),
			Title:   strings.Trim(string(conversation[fmt.Sprintf("session_%d_date_time", i)]), `"`),
			Text:    strings.Join(said, "\n\n"),
			Project: id,
		})
	}
	return documents, nil
}

// writeRows writes each row as a line of JSON.
func writeRows(file string, rows []any) error {
	var lines strings.Builder
	for _, row := range rows {
		line, err := json.Marshal(row)
		if err != nil {
			return fmt.Errorf("encode a line of %s: %w", file, err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	return write(file, lines.String())
}
