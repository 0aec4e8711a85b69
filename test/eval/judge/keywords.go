package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// writeKeywords copies a collection into a folder of dir, in which each question is its
// rarest words alone, in their order. It returns the folder.
func writeKeywords(set, dir string, count int) (folder string, err error) {
	folder = filepath.Join(dir, fmt.Sprintf("%s-%d", filepath.Base(set), count))
	if err := os.CopyFS(folder, os.DirFS(set)); err != nil {
		return "", err
	}
	frequencies, err := readFrequencies(set)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "queries.jsonl")
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var lines bytes.Buffer
	for line := range strings.Lines(string(content)) {
		var query map[string]any
		if err := json.Unmarshal([]byte(line), &query); err != nil {
			return "", fmt.Errorf("read %s: %w", path, err)
		}
		query["text"] = keywords(fmt.Sprint(query["text"]), frequencies, count)
		if err := json.NewEncoder(&lines).Encode(query); err != nil {
			return "", fmt.Errorf("encode a question: %w", err)
		}
	}
	return folder, os.WriteFile(path, lines.Bytes(), 0o600)
}

// keywords returns the rarest words of a text that stand in documents: all of a text that
// has none.
func keywords(text string, frequencies map[string]int, count int) string {
	var known []string
	for _, word := range words(text) {
		if frequencies[word] > 0 && !slices.Contains(known, word) {
			known = append(known, word)
		}
	}
	if len(known) == 0 {
		return text
	}
	rarest := slices.Clone(known)
	slices.SortStableFunc(rarest, func(a, b string) int { return cmp.Compare(frequencies[a], frequencies[b]) })
	rarest = rarest[:min(count, len(rarest))]
	return strings.Join(slices.DeleteFunc(known, func(word string) bool { return !slices.Contains(rarest, word) }), " ")
}

// readFrequencies returns in how many of the collection's documents each word stands: in
// the lines of corpus.jsonl, or else in the files in markdown.
func readFrequencies(set string) (map[string]int, error) {
	frequencies := map[string]int{}
	count := func(text string) {
		for _, word := range slices.Compact(slices.Sorted(slices.Values(words(text)))) {
			frequencies[word]++
		}
	}
	content, err := os.ReadFile(filepath.Join(set, "corpus.jsonl"))
	if err == nil {
		for line := range strings.Lines(string(content)) {
			var document struct {
				Title string `json:"title"`
				Text  string `json:"text"`
			}
			if err := json.Unmarshal([]byte(line), &document); err != nil {
				return nil, fmt.Errorf("read corpus.jsonl: %w", err)
			}
			count(document.Title + " " + document.Text)
		}
		return frequencies, nil
	}
	return frequencies, fs.WalkDir(os.DirFS(set), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		content, err := os.ReadFile(filepath.Join(set, path))
		count(string(content))
		return err
	})
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
}
