package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// report has the fields of eval's report that are printed.
type report struct {
	Documents int
	Measures  []struct {
		Name             string
		Value, Low, High float64
	}
	Shares []struct {
		Of        string
		Threshold float64
		Documents int
		Kind      string
		Questions int
		Value     float64
	}
}

// printHead prints the head of the table.
func printHead(w io.Writer) {
	columns := []string{
		"set", "by", "documents", "nDCG@10",
		"kept at .5", "everyday shown", "others shown", "kept at .9", "everyday shown", "others shown",
	}
	printRow(w, columns...)
	printRow(w, slices.Repeat([]string{"---"}, len(columns))...)
}

// print prints a line for each size of project, that of all documents last.
func (r report) print(w io.Writer, set string, by competitor) {
	sizes := map[int]bool{}
	for _, share := range r.Shares {
		sizes[share.Documents] = true
	}
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		ranking := ""
		if size == r.Documents {
			ranking = fmt.Sprintf("%.3f (%.3f to %.3f)", r.Measures[0].Value, r.Measures[0].Low, r.Measures[0].High)
		}
		row := []string{set, by.name, strconv.Itoa(size), ranking}
		for _, threshold := range []float64{.5, .9} {
			row = append(row, r.share("kept", threshold, size, ""), r.share("shown", threshold, size, everyday),
				r.share("shown", threshold, size, "others"))
		}
		printRow(w, row...)
	}
}

// printRow prints a row of a table in markdown.
func printRow(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

// share is that of the kind, or of all kinds but everyday prompts.
func (r report) share(of string, threshold float64, size int, kind string) string {
	reached, asked := 0.0, 0
	for _, s := range r.Shares {
		wanted := s.Kind == kind
		if kind == "others" {
			wanted = s.Kind != "" && s.Kind != everyday
		}
		if wanted && s.Of == of && s.Threshold == threshold && s.Documents == size {
			reached, asked = reached+s.Value*float64(s.Questions), asked+s.Questions
		}
	}
	if asked == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", reached/float64(asked))
}
