// Command advice fits the weights of package rag/advice on the documents of this folder. It writes them by
//
//	go run ./test/advice rag/advice/weights.tsv
//
// Each line of a .jsonl file is a document, with the code that it warns of and other code that it quotes. The documents
// are made up, and each file has another author.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag/advice"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

const (
	rounds = 600
	rate   = .5
	// decay keeps weights small: it is the strength of L2 regularisation.
	decay = 4
	// least is the least weight that is written, and often how often a feature must be there.
	least, often = .05, 2
)

// example is a quote with its features, and whether the document warns of it.
type example struct {
	features []advice.Feature
	isWarned bool
}

type document struct {
	Title  string   `json:"title"`
	Text   string   `json:"text"`
	Warned []string `json:"warned"`
	Fine   []string `json:"fine"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "advice:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("want the file to write")
	}
	_, sets, err := readAll("test/advice")
	if err != nil {
		return err
	}
	return os.WriteFile(os.Args[1], table(fit(slices.Concat(sets...))), 0o644)
}

// readAll reads the files of a folder.
func readAll(folder string) (files []string, sets [][]example, err error) {
	files, err = filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		set, err := read(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		sets = append(sets, set)
	}
	return files, sets, nil
}

// read returns the quotes of a file that are judged.
func read(file string) ([]example, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var examples []example
	for line := range bytes.Lines(content) {
		var d document
		if err := json.Unmarshal(line, &d); err != nil {
			return nil, fmt.Errorf("want a JSON object with title, text, warned and fine: %w", err)
		}
		parsed, err := markdown.Parse([]byte("# " + d.Title + "\n\n" + d.Text))
		if err != nil {
			return nil, err
		}
		code := parsed.Code()
		whole := advice.NewDocument(parsed.Title, len(code))
		for _, c := range code {
			isIt := func(judged string) bool {
				return judged == c.Code || c.Block && strings.HasPrefix(folded(judged), folded(c.Code))
			}
			isWarned := slices.ContainsFunc(d.Warned, isIt)
			if isWarned || slices.ContainsFunc(d.Fine, isIt) {
				examples = append(examples, example{whole.Features(c.Context), isWarned})
			}
		}
	}
	return examples, nil
}

func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// fit returns the weights of the features by descent along the gradient of the log-likelihood, scaled as in AdaGrad.
func fit(examples []example) map[advice.Feature]float64 {
	number, rows := numbered(examples)
	weights, squares, gradient := make([]float64, len(number)), make([]float64, len(number)), make([]float64, len(number))
	for range rounds {
		for n, weight := range weights {
			gradient[n] = decay * weight
		}
		for i, row := range rows {
			odds := 0.0
			for _, n := range row {
				odds += weights[n]
			}
			fault := 1 / (1 + math.Exp(-odds))
			if examples[i].isWarned {
				fault--
			}
			for _, n := range row {
				gradient[n] += fault
			}
		}
		for n, g := range gradient {
			squares[n] += g * g
			weights[n] -= rate * g / math.Sqrt(squares[n]+1e-9)
		}
	}
	maps.DeleteFunc(number, func(_ advice.Feature, n int) bool { return math.Abs(weights[n]) < least })
	fitted := map[advice.Feature]float64{}
	for f, n := range number {
		fitted[f] = weights[n]
	}
	return fitted
}

// numbered gives each feature that is there often enough a number, and returns the numbers of each example.
func numbered(examples []example) (number map[advice.Feature]int, rows [][]int) {
	count := map[advice.Feature]int{}
	for _, e := range examples {
		for _, f := range e.features {
			count[f]++
		}
	}
	number = map[advice.Feature]int{}
	for _, e := range examples {
		var row []int
		for _, f := range e.features {
			if count[f] < often {
				continue
			}
			if _, known := number[f]; !known {
				number[f] = len(number)
			}
			row = append(row, number[f])
		}
		rows = append(rows, row)
	}
	return number, rows
}

// area returns the area under the ROC curve: how often a quote that is warned of has more than one that is not.
func area(examples []example, weights map[advice.Feature]float64) float64 {
	var warned, fine []float64
	for _, e := range examples {
		odds := 0.0
		for _, f := range e.features {
			odds += weights[f]
		}
		if e.isWarned {
			warned = append(warned, odds)
		} else {
			fine = append(fine, odds)
		}
	}
	more := 0.0
	for _, a := range warned {
		for _, b := range fine {
			more += float64(cmp.Compare(a, b)+1) / 2
		}
	}
	return more / float64(len(warned)*len(fine))
}

// table has a line for each word, with its weights by field.
func table(weights map[advice.Feature]float64) []byte {
	lines := map[string][]string{}
	features := slices.SortedFunc(maps.Keys(weights), func(a, b advice.Feature) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Field, b.Field))
	})
	for _, f := range features {
		lines[f.Word] = append(lines[f.Word], fmt.Sprintf("%d:%.2f", f.Field, weights[f]))
	}
	var text bytes.Buffer
	for _, word := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&text, "%s\t%s\n", word, strings.Join(lines[word], " "))
	}
	return text.Bytes()
}
