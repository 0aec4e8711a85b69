// Package eval compares rankings with relevance judgements. It reads test
// collections in the format of BEIR and computes the usual metrics with confidence
// intervals. It must not know how a ranking is made.
package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Document is a line of corpus.jsonl.
type Document struct {
	ID    string `json:"_id"` //nolint:tagliatelle // the form is BEIR's
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Query is a line of queries.jsonl.
type Query struct {
	ID   string `json:"_id"` //nolint:tagliatelle // the form is BEIR's
	Text string `json:"text"`
	// Kind groups queries in a report. BEIR's collections have none.
	Kind string `json:"kind,omitempty"`
}

// Judgements maps the ids of documents to their grades of relevance for one query.
// A document without a grade, or with one of 0 or less, is not relevant.
type Judgements map[string]int

// Collection is a set of documents with judged queries, in the files' order.
type Collection struct {
	Documents []Document
	Queries   []Query
	// Judged maps the ids of queries to their judgements. A query that is missing
	// was not judged. A query with only grades of 0 has no relevant document.
	Judged map[string]Judgements
}

// maxLine bounds a line of a collection, and with it a document.
const maxLine = 16 << 20

// Read reads a folder in the format of BEIR (Thakur et al., 2021): corpus.jsonl,
// queries.jsonl, and judgements in qrels/test.tsv or qrels.tsv with a header line
// and the columns query-id, corpus-id and score. An id that occurs twice is an
// error, and so is a judgement of an unknown query or document. A document with neither
// id nor text is skipped.
func Read(dir string) (*Collection, error) {
	var documents []Document
	known := map[string]bool{}
	err := eachLine(filepath.Join(dir, "corpus.jsonl"), func(line []byte) error {
		var document Document
		err := decode(line, &document, &document.ID, known)
		if err != nil && document == (Document{}) && json.Valid(line) {
			return nil
		}
		if err != nil {
			return err
		}
		documents = append(documents, document)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ReadQueries(dir, documents)
}

// ReadQueries reads the queries and judgements of a folder, as [Read] does. The
// caller has the documents already.
func ReadQueries(dir string, known []Document) (*Collection, error) {
	collection := &Collection{Documents: known, Judged: map[string]Judgements{}}
	documents, queries := map[string]bool{}, map[string]bool{}
	for _, document := range known {
		documents[document.ID] = true
	}
	var err error
	if collection.Queries, err = readQueries(filepath.Join(dir, "queries.jsonl")); err != nil {
		return nil, err
	}
	for _, query := range collection.Queries {
		queries[query.ID] = true
	}
	qrels := filepath.Join(dir, "qrels", "test.tsv")
	if _, err := os.Stat(qrels); err != nil {
		qrels = filepath.Join(dir, "qrels.tsv")
	}
	header := true
	err = eachLine(qrels, func(line []byte) error {
		if header {
			header = false
			return nil
		}
		return collection.judge(string(line), documents, queries)
	})
	if err != nil {
		return nil, err
	}
	return collection, nil
}

// ReadOthers reads a file of queries that a collection does not answer. Its name, or that
// of its folder if it is another collection's queries.jsonl, is before their ids, and is
// the kind of those without one.
func ReadOthers(path string) ([]Query, error) {
	queries, err := readQueries(path)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if name == "queries" {
		name = filepath.Base(filepath.Dir(path))
	}
	for i, query := range queries {
		queries[i].ID, queries[i].Kind = name+":"+query.ID, cmp.Or(query.Kind, name)
	}
	return queries, nil
}

func readQueries(path string) (queries []Query, err error) {
	known := map[string]bool{}
	err = eachLine(path, func(line []byte) error {
		var query Query
		if err := decode(line, &query, &query.ID, known); err != nil {
			return err
		}
		queries = append(queries, query)
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

func (c *Collection) judge(line string, documents, queries map[string]bool) error {
	columns := strings.Split(strings.TrimRight(line, "\r"), "\t")
	if len(columns) != 3 {
		return fmt.Errorf("want three columns with tabs between them, got %d", len(columns))
	}
	query, document := columns[0], columns[1]
	grade, err := strconv.Atoi(columns[2])
	if err != nil {
		return fmt.Errorf("want a whole number as the score: %w", err)
	}
	if !queries[query] {
		return fmt.Errorf("the query %q is not in queries.jsonl", query)
	}
	if !documents[document] {
		return fmt.Errorf("the document %q is not in the corpus", document)
	}
	if c.Judged[query] == nil {
		c.Judged[query] = Judgements{}
	}
	c.Judged[query][document] = grade
	return nil
}

// eachLine calls read with each line that is not blank, and adds file and line to
// its errors.
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
