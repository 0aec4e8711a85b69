package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// document is a line of corpus.jsonl, or a file of a project.
type document struct {
	ID    string `json:"_id"` //nolint:tagliatelle // the form is BEIR's
	Title string `json:"title"`
	Text  string `json:"text"`
	// Path is the document's file in the projects that are made of the collection.
	Path string `json:"-"`
}

// query is a line of queries.jsonl.
type query struct {
	ID   string `json:"_id"` //nolint:tagliatelle // the form is BEIR's
	Text string `json:"text"`
	// Kind groups queries in a report. BEIR's collections have none.
	Kind string `json:"kind,omitempty"`
	// File is the one that an edit changes.
	File string `json:"file,omitempty"`
}

// judgements maps the ids of documents to their grades of relevance for one query.
// A document without a grade, or with one of 0 or less, is not relevant.
type judgements map[string]int

// answerable reports whether a document is relevant.
func (j judgements) answerable() bool {
	for _, grade := range j {
		if grade > 0 {
			return true
		}
	}
	return false
}

// collection is a set of documents, sorted by their paths, with judged queries.
type collection struct {
	Name string
	// Config is of the projects that are made of it, without their name.
	Config    map[string]any
	Documents []document
	Queries   []query
	// Judged maps the ids of queries to their judgements.
	Judged map[string]judgements
}

const (
	configFile      = ".csharp-compounding-docs/config.json"
	documentsFolder = "csharp-compounding-docs"
)

// readCollection reads a folder in one of two forms. BEIR's (Thakur et al., 2021) has
// corpus.jsonl. A project has a config file, and its documents are named by their paths.
// Both have queries.jsonl, and judgements in qrels/test.tsv or qrels.tsv: a header line, and
// lines of query-id, corpus-id and score. An id that occurs twice is an error, and so is a
// judgement of an unknown query or document.
//
// Queries of BEIR's form without a judgement belong to another part of the collection, such
// as the one for training, and are left out. In a project they have no answer.
func readCollection(dir string) (*collection, error) {
	c := &collection{Name: filepath.Base(dir), Judged: map[string]judgements{}}
	_, err := os.Stat(filepath.Join(dir, "corpus.jsonl"))
	beir := err == nil
	if beir {
		err = c.readBEIR(dir)
	} else {
		err = c.readProject(dir)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(c.Documents, func(a, b document) int { return cmp.Compare(a.Path, b.Path) })
	c.Queries, err = readQueries(filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return nil, err
	}
	if err := c.readJudgements(dir); err != nil {
		return nil, err
	}
	if beir {
		c.Queries = slices.DeleteFunc(c.Queries, func(q query) bool { return c.Judged[q.ID] == nil })
	}
	return c, nil
}

// readBEIR skips a document with neither id nor text.
func (c *collection) readBEIR(dir string) error {
	c.Config = map[string]any{"documents": map[string]any{"folder": "docs", "lenient": true}}
	known := map[string]bool{}
	return eachLine(filepath.Join(dir, "corpus.jsonl"), func(line []byte) error {
		var d document
		err := decode(line, &d, &d.ID, known)
		if err != nil {
			if d == (document{}) && json.Valid(line) {
				return nil
			}
			return err
		}
		if d.Title != "" {
			d.Text = "# " + strings.Join(strings.Fields(d.Title), " ") + "\n\n" + d.Text
		}
		d.Path = "docs/" + url.PathEscape(d.ID) + ".md"
		c.Documents = append(c.Documents, d)
		return nil
	})
}

func (c *collection) readProject(dir string) error {
	config, err := os.ReadFile(filepath.Join(dir, configFile))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(config, &c.Config); err != nil {
		return fmt.Errorf("read %s: %w", configFile, err)
	}
	root := os.DirFS(dir)
	return fs.WalkDir(root, documentsFolder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, path)
		c.Documents = append(c.Documents, document{ID: path, Path: path, Text: string(content)})
		return err
	})
}

func (c *collection) readJudgements(dir string) error {
	documents, queries := map[string]bool{}, map[string]bool{}
	for _, d := range c.Documents {
		documents[d.ID] = true
	}
	for _, q := range c.Queries {
		queries[q.ID] = true
	}
	qrels := filepath.Join(dir, "qrels", "test.tsv")
	if _, err := os.Stat(qrels); err != nil {
		qrels = filepath.Join(dir, "qrels.tsv")
	}
	header := true
	return eachLine(qrels, func(line []byte) error {
		if header {
			header = false
			return nil
		}
		columns := strings.Split(strings.TrimRight(string(line), "\r"), "\t")
		if len(columns) != 3 {
			return fmt.Errorf("want three columns with tabs between them, got %d", len(columns))
		}
		asked, about := columns[0], columns[1]
		grade, err := strconv.Atoi(columns[2])
		if err != nil {
			return fmt.Errorf("want a whole number as the score: %w", err)
		}
		if !queries[asked] || !documents[about] {
			return fmt.Errorf("the query %q or the document %q is not in the collection", asked, about)
		}
		if c.Judged[asked] == nil {
			c.Judged[asked] = judgements{}
		}
		c.Judged[asked][about] = grade
		return nil
	})
}

// readOthers reads a file of queries that a collection does not answer. Their ids begin with
// the file's name, or with that of its folder for another collection's queries.jsonl. Queries
// without a kind get this name as their kind.
func readOthers(path string) ([]query, error) {
	queries, err := readQueries(path)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if name == "queries" {
		name = filepath.Base(filepath.Dir(path))
	}
	for i, q := range queries {
		queries[i].ID, queries[i].Kind = name+":"+q.ID, cmp.Or(q.Kind, name)
	}
	return queries, nil
}

func readQueries(path string) (queries []query, err error) {
	known := map[string]bool{}
	err = eachLine(path, func(line []byte) error {
		var q query
		if err := decode(line, &q, &q.ID, known); err != nil {
			return err
		}
		queries = append(queries, q)
		return nil
	})
	return queries, err
}

// decode reads one line into target, whose id must be new.
func decode(line []byte, target any, id *string, known map[string]bool) error {
	if err := json.Unmarshal(line, target); err != nil {
		return fmt.Errorf("want a JSON object with _id and text: %w", err)
	}
	if *id == "" {
		return errors.New("want an _id that is not empty")
	}
	if known[*id] {
		return fmt.Errorf("the _id %q occurs twice", *id)
	}
	known[*id] = true
	return nil
}

// maxLine bounds a line of a collection, and with it a document.
const maxLine = 16 << 20

// eachLine calls read with each line that is not blank. Its errors name the file and the line.
func eachLine(path string, read func(line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // opened for reading only
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := read(lines.Bytes()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
