// Command advice fits the weights of package rag/advice on the documents of this folder, and writes them:
//
//	go run ./test/advice rag/advice/weights.tsv
//
// Each line of a .jsonl file is a document, with the code that it warns of and other code that it quotes. The documents
// are made up. Three authors wrote them, in files of their own.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
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
	rounds = 300
	rate   = .5
	// decay keeps weights small: it is the strength of L2 regularisation.
	decay = 4
	// least is the least weight that is written, and often how often a feature must be there.
	least, often = .06, 2
)

// example is a quote with its features, and whether the document warns of it.
type example struct {
	features []advice.Feature
	isWarned bool
}

type document struct {
	Title, Text  string
	Warned, Fine []string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	files, err := filepath.Glob("test/advice/*.jsonl")
	if err != nil || len(files) == 0 || len(os.Args) != 2 {
		return fmt.Errorf("want the file to write, in the root of the repository: %w", err)
	}
	var sets [][]example
	for _, file := range files {
		set, err := read(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		sets = append(sets, set)
	}
	for i, held := range sets {
		others := slices.Concat(slices.Delete(slices.Clone(sets), i, i+1)...)
		fmt.Printf("%s: %d quotes, judged by the other files: area under the ROC curve %.3f\n", files[i], len(held), area(held, fit(others)))
	}
	return write(os.Args[1], fit(slices.Concat(sets...)))
}

// read returns the quotes of a file that are judged.
func read(file string) ([]example, error) {
	content, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	var examples []example
	lines := bufio.NewScanner(content)
	for lines.Scan() {
		var d document
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return nil, err
		}
		parsed, err := markdown.Parse([]byte("# " + d.Title + "\n\n" + d.Text))
		if err != nil {
			return nil, err
		}
		whole := parsed.Advice()
		for _, c := range parsed.Code() {
			isIt := func(judged string) bool {
				return judged == c.Code || c.Block && strings.HasPrefix(folded(judged), folded(c.Code))
			}
			isWarned := slices.ContainsFunc(d.Warned, isIt)
			if isWarned || slices.ContainsFunc(d.Fine, isIt) {
				examples = append(examples, example{whole.Features(c.Context), isWarned})
			}
		}
	}
	return examples, lines.Err()
}

func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// fit returns the weights of the features by descent along the gradient of the log-likelihood, scaled as in AdaGrad.
func fit(examples []example) map[advice.Feature]float64 {
	count := map[advice.Feature]int{}
	for _, e := range examples {
		for _, f := range e.features {
			count[f]++
		}
	}
	number := map[advice.Feature]int{}
	for _, e := range examples {
		for _, f := range e.features {
			if _, known := number[f]; !known && count[f] >= often {
				number[f] = len(number)
			}
		}
	}
	rows := make([][]int, len(examples))
	for i, e := range examples {
		for _, f := range e.features {
			if n, ok := number[f]; ok {
				rows[i] = append(rows[i], n)
			}
		}
	}
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
	fitted := map[advice.Feature]float64{}
	for f, n := range number {
		if math.Abs(weights[n]) >= least {
			fitted[f] = weights[n]
		}
	}
	return fitted
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

// write writes a line for each word, with its weights by field.
func write(file string, weights map[advice.Feature]float64) error {
	lines := map[string][]string{}
	fields := slices.SortedFunc(maps.Keys(weights), func(a, b advice.Feature) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Field, b.Field))
	})
	for _, f := range fields {
		lines[f.Word] = append(lines[f.Word], fmt.Sprintf("%d:%.2f", f.Field, weights[f]))
	}
	var text strings.Builder
	for _, word := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&text, "%s\t%s\n", word, strings.Join(lines[word], " "))
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}
