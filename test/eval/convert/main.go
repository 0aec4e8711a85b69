// Convert writes public question sets as collections that compound-docs eval reads: LoCoMo's
// dialogues, with a document for each session, and the gold sets of compound-cli, whose
// documents are the learnings of a checkout. docs/evaluation.md says where to get them.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/eval"
)

func main() {
	err := errors.New("usage: convert locomo locomo10.json DIR, or convert cases CASES.json CHECKOUT DIR")
	const locomoArguments, casesArguments = 4, 5
	switch {
	case len(os.Args) == locomoArguments && os.Args[1] == "locomo":
		err = convert(os.Args[2], os.Args[3], locomo)
	case len(os.Args) == casesArguments && os.Args[1] == "cases":
		err = convert(os.Args[2], os.Args[4], func(source []byte, c *eval.Collection) error { return cases(source, os.Args[3], c) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}

// convert reads a file and writes the collection that comes of it.
func convert(file, folder string, read func(source []byte, c *eval.Collection) error) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	c := &eval.Collection{Judged: map[string]eval.Judgements{}}
	if err := read(source, c); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return write(folder, c)
}

func write(folder string, c *eval.Collection) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	var qrels []string
	for _, q := range c.Queries {
		for _, document := range slices.Sorted(maps.Keys(c.Judged[q.ID])) {
			qrels = append(qrels, fmt.Sprintf("%s\t%s\t%d", q.ID, document, c.Judged[q.ID][document]))
		}
	}
	for name, lines := range map[string][]string{
		"corpus.jsonl": encode(c.Documents), "queries.jsonl": encode(c.Queries),
		"qrels.tsv": append([]string{"query-id\tcorpus-id\tscore"}, qrels...),
	} {
		text := strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d documents, %d questions\n", folder, len(c.Documents), len(c.Queries))
	return nil
}

func encode[T any](rows []T) (lines []string) {
	for _, row := range rows {
		line, err := json.Marshal(row)
		if err != nil {
			panic(err) // of strings alone
		}
		lines = append(lines, string(line))
	}
	return lines
}

// locomo reads LoCoMo (Maharana et al., 2024). Its fifth category, whose questions ask for
// what was never said, is left out.
func locomo(source []byte, c *eval.Collection) error {
	kinds := map[int]string{1: "several sessions", 2: "time", 3: "open", 4: "one session"}
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
		return err
	}
	session := regexp.MustCompile(`D(\d+):`)
	for _, sample := range samples {
		for i := 1; sample.Conversation[fmt.Sprintf("session_%d", i)] != nil; i++ {
			var turns []struct {
				Speaker string `json:"speaker"`
				Text    string `json:"text"`
			}
			if err := json.Unmarshal(sample.Conversation[fmt.Sprintf("session_%d", i)], &turns); err != nil {
				return err
			}
			var said []string
			for _, turn := range turns {
				said = append(said, turn.Speaker+": "+turn.Text)
			}
			c.Documents = append(c.Documents, eval.Document{
				ID:    fmt.Sprintf("%s-%d", sample.ID, i),
				Title: strings.Trim(string(sample.Conversation[fmt.Sprintf("session_%d_date_time", i)]), `"`),
				Text:  strings.Join(said, "\n\n"),
			})
		}
		for i, q := range sample.Questions {
			judged := eval.Judgements{}
			for _, found := range session.FindAllStringSubmatch(strings.Join(q.Evidence, " "), -1) {
				judged[sample.ID+"-"+found[1]] = 1
			}
			if kinds[q.Category] != "" && len(judged) > 0 {
				add(c, eval.Query{ID: fmt.Sprintf("%s-q%d", sample.ID, i), Text: q.Question, Kind: kinds[q.Category]}, judged)
			}
		}
	}
	return nil
}

// cases reads a gold set of compound-cli, and the learnings that it is about from a checkout.
// A case whose learnings the checkout does not have is left out.
func cases(source []byte, checkout string, c *eval.Collection) error {
	var set struct {
		Corpus struct {
			Root string `json:"docs_root"`
		} `json:"corpus"`
		Cases []struct {
			ID    string `json:"id"`
			Query struct {
				Activity string   `json:"activity"`
				Concepts []string `json:"concepts"`
			} `json:"query"`
			Expected []string `json:"expected"`
			Negative bool     `json:"negative"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(source, &set); err != nil {
		return err
	}
	known := map[string]bool{}
	if err := fs.WalkDir(os.DirFS(checkout), set.Corpus.Root+"/solutions", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		known[name] = true
		document, err := learning(checkout, name)
		c.Documents = append(c.Documents, document)
		return err
	}); err != nil {
		return err
	}
	for _, one := range set.Cases {
		judged := eval.Judgements{}
		for _, name := range one.Expected {
			if known[name] {
				judged[name] = 1
			}
		}
		kind := "work"
		if one.Negative {
			kind = "unanswerable"
			judged[c.Documents[0].ID] = 0 // a question without a judgement would be left out
		} else if len(judged) < len(one.Expected) {
			fmt.Printf("%s is left out: the checkout does not have %s\n", one.ID, strings.Join(one.Expected, " and "))
			continue
		}
		text := strings.TrimSpace(one.Query.Activity + " " + strings.Join(one.Query.Concepts, " "))
		add(c, eval.Query{ID: one.ID, Text: text, Kind: kind}, judged)
	}
	return nil
}

func add(c *eval.Collection, q eval.Query, judged eval.Judgements) {
	c.Queries = append(c.Queries, q)
	c.Judged[q.ID] = judged
}

// learning reads a document: its title from the front matter, and all its text.
func learning(checkout, name string) (eval.Document, error) {
	file, err := os.Open(filepath.Join(checkout, filepath.FromSlash(name)))
	if err != nil {
		return eval.Document{}, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	document := eval.Document{ID: name}
	var text []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if title, found := strings.CutPrefix(lines.Text(), "title: "); found && document.Title == "" {
			document.Title = strings.Trim(title, `"`)
		} else if lines.Text() != "---" {
			text = append(text, lines.Text())
		}
	}
	document.Text = strings.Join(text, "\n")
	return document, lines.Err()
}
