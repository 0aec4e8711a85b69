package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Each test and each file of tests that a page names in backticks is there.
func TestDocumentation_NamesTestsThatExist(t *testing.T) {
	t.Parallel()
	const top = sourceRoot
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`)
	err := filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range function.FindAllSubmatch(text, -1) {
			declared[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile("`((?:Test|Fuzz|Benchmark|Example)[A-Z_]\\w*)").FindAllSubmatch(text, -1) {
			if named++; !declared[string(found[1])] {
				t.Errorf("%s names the test %s, which does not exist", page, found[1])
			}
		}
		for _, found := range regexp.MustCompile("`(\\w+/[\\w/*]*_test\\.go)`").FindAllSubmatch(text, -1) {
			if files, err := filepath.Glob(filepath.Join(top, string(found[1]))); len(files) == 0 {
				t.Errorf("%s names %s, which does not exist (%v)", page, found[1], err)
			}
		}
	}
	if named == 0 {
		t.Error("no page names a test")
	}
}

// Each file, folder and package that the pages for contributors name is there, and each package of the product
// is named.
func TestDocumentation_NamesPackagesThatExist(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	for _, page := range []string{"CONTRIBUTING.md", "docs/architecture.md"} {
		text, err := os.ReadFile(filepath.Join(sourceRoot, page))
		if err != nil {
			t.Fatal(err)
		}
		said.Write(text)
		for _, found := range regexp.MustCompile("`((?:cmd|tools|rag|internal|db|watch|sql|test|plugin|deploy|examples)/[\\w./*-]*)`").FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(found[1], "NNNNN") || found[1] == "tools/list" { // a new migration; a method of MCP
				continue
			}
			if files, err := filepath.Glob(filepath.Join(sourceRoot, found[1])); len(files) == 0 {
				t.Errorf("%s names %s, which does not exist (%v)", page, found[1], err)
			}
		}
	}
	for _, top := range []string{"rag", "internal"} {
		folders, err := filepath.Glob(filepath.Join(sourceRoot, top, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders {
			name := filepath.Base(folder)
			info, err := os.Stat(folder)
			if err != nil {
				t.Fatal(err)
			}
			if info.IsDir() && name != "testdata" && !strings.Contains(said.String(), "`"+name+"`") && !strings.Contains(said.String(), top+"/"+name) {
				t.Errorf("docs/architecture.md does not name %s/%s", top, name)
			}
		}
	}
}

// The figures of README.md are those of comparison.md, and the nDCG of compound-docs there is that
// of evaluation.md.
func TestDocumentation_FiguresAgree(t *testing.T) {
	t.Parallel()
	comparison, evaluation := filepath.Join(sourceRoot, "docs", "comparison.md"), filepath.Join(sourceRoot, "docs", "evaluation.md")
	for _, row := range []struct{ readme, comparison, evaluation string }{
		{"nDCG@10, our questions |", "[our own set](evaluation.md#our-own-set) |", "our own |"},
		{"nDCG@10, Cranfield |", "Cranfield |", "Cranfield |"},
		{"first command to first result, 1,400 files |", "first command to first result |", ""},
		{"a search |", "a search |", ""},
		{"a saved file is found after |", "a saved file is found after |", ""},
		{"memory |", "memory |", ""},
		{"", "[to the letter](evaluation.md#our-own-set) |", "to the letter |"},
		{"", "CACM |", "CACM |"},
	} {
		source := figures(t, comparison, row.comparison)
		if row.readme != "" {
			for _, figure := range figures(t, filepath.Join(sourceRoot, "README.md"), row.readme) {
				if !slices.Contains(source, figure) {
					t.Errorf("README.md has %g in %q; %s has %v", figure, row.readme, comparison, source)
				}
			}
		}
		if row.evaluation != "" {
			if want := figures(t, evaluation, row.evaluation)[0]; source[1] != want { // behind the number of questions
				t.Errorf("%s has %g in %q; %s has %g", comparison, source[1], row.comparison, evaluation, want)
			}
		}
	}
}

// figures returns the numbers of the first row of a page's tables that begins with a label.
func figures(t *testing.T, page, label string) (numbers []float64) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(string(text), "\n| "+label)
	row, _, _ = strings.Cut(row, "\n")
	for _, figure := range regexp.MustCompile(`\d*\.?\d+`).FindAllString(row, -1) {
		number, err := strconv.ParseFloat(figure, 64)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number)
	}
	if len(numbers) == 0 {
		t.Fatalf("%s has no figures in a row %q", page, label)
	}
	return numbers
}
