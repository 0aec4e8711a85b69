package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// task is a collection, and queries that it does not answer.
type task struct {
	*collection

	others []query
}

// question is a query with the grades of a project's documents, by their paths.
type question struct {
	query

	judged judgements
}

// checkout is a folder with documents of a collection, and the questions about them.
type checkout struct {
	root      string
	documents int
	questions []question
}

func (p checkout) config() string { return filepath.Join(p.root, configFile) }

// draw splits documents into disjoint projects of a size, the same in every run and about 300
// documents in all. It returns nothing if the collection is not larger than the size.
func draw(all []document, size int) [][]document {
	const seed, together = 28, 300
	if size >= len(all) {
		return nil
	}
	order := rand.New(rand.NewPCG(seed, uint64(size))).Perm(len(all))
	drawn := make([][]document, min(len(all)/size, max(1, together/size)))
	for i := range drawn {
		for _, at := range order[i*size : (i+1)*size] {
			drawn[i] = append(drawn[i], all[at])
		}
	}
	return drawn
}

// makeProjects writes projects of a size into folders below dir. A size of 0 makes one
// project of all documents. Each project has the questions that its documents answer. The questions
// that the whole collection does not answer are divided among the projects. The projects have
// different names, because those of one name share the frequencies of words.
func (t task) makeProjects(dir string, size int) (projects []checkout, err error) {
	parts := [][]document{t.Documents}
	if size > 0 {
		parts = draw(t.Documents, size)
	}
	for number, documents := range parts {
		name := fmt.Sprintf("%s-%d-%d", strings.ToLower(t.Name), size, number)
		p := checkout{root: filepath.Join(dir, name), documents: len(documents)}
		for at, q := range slices.Concat(t.Queries, t.others) {
			judged := judgements{}
			for _, d := range documents {
				if grade, ok := t.Judged[q.ID][d.ID]; ok {
					judged[d.Path] = grade
				}
			}
			if judged.answerable() || !t.Judged[q.ID].answerable() && at%len(parts) == number {
				p.questions = append(p.questions, question{q, judged})
			}
		}
		config := maps.Clone(t.Config)
		config["project_name"] = name
		content, err := json.Marshal(config)
		if err != nil {
			return nil, fmt.Errorf("encode a config: %w", err)
		}
		if err := write(p.config(), string(content)); err != nil {
			return nil, err
		}
		if err := p.writeFiles(documents); err != nil {
			return nil, err
		}
		projects = append(projects, p)
	}
	return projects, nil
}

// writeFiles writes documents, and the files that are read in questions about code.
func (p checkout) writeFiles(documents []document) error {
	files := map[string]string{}
	for _, d := range documents {
		files[d.Path] = d.Text
	}
	for _, q := range p.questions {
		if q.Kind == code || q.Kind == everydayCode {
			files[q.File] = q.Text
		}
	}
	for name, text := range files {
		if err := write(filepath.Join(p.root, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// actTask returns what assistants do in a project of a set, and what they do every day. Of the literal set,
// these are failures. Where a set has triggers.jsonl, its documents declare these triggers.
func actTask(set string) (task, error) {
	c, err := readCollection(set)
	if err != nil {
		return task{}, fmt.Errorf("read the collection %s: %w", set, err)
	}
	err = c.addTriggers(set)
	if err != nil {
		return task{}, fmt.Errorf("read the triggers of %s: %w", set, err)
	}
	if c.Name == "literal" {
		c.Queries = asFailures(c.Queries)
	}
	everyday, err := readOthers(set + "/others.jsonl")
	return task{c, everyday}, err
}

// addTriggers puts the triggers of a set into the front matter of its documents.
func (c *collection) addTriggers(set string) error {
	declared := map[string]string{}
	err := eachLine(filepath.Join(set, "triggers.jsonl"), func(line []byte) error {
		var d struct {
			ID       string          `json:"_id"` //nolint:tagliatelle // as in the other files
			Triggers json.RawMessage `json:"triggers"`
		}
		err := json.Unmarshal(line, &d)
		declared[d.ID] = string(d.Triggers)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for i, d := range c.Documents {
		if declared[d.ID] == "" {
			err = errors.Join(err, fmt.Errorf("%s has no triggers", d.ID))
		}
		c.Documents[i].Text = "---\ntriggers: " + declared[d.ID] + "\n---\n\n" + d.Text // JSON is YAML
	}
	return err
}

// asFailures returns the queries that are printed by programs, as failures of commands.
func asFailures(queries []query) (failures []query) {
	for _, q := range queries {
		if q.Kind == "error line" || q.Kind == "trace" {
			q.Kind = knownFailure
			failures = append(failures, q)
		}
	}
	return failures
}
