package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed report.md.tmpl
var reportTemplate string

// report is the data of a page of figures from one machine.
type report struct {
	Facts []fact `json:"facts"`
	Rows  []Row  `json:"rows"`
}

// write puts a row into the report in a file, in place of its earlier value, and
// writes its data as JSON beside it.
func write(file string, facts []fact, row Row) error {
	data := beside(file, ".json")
	r, err := readReport(data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !slices.Equal(r.Facts, facts) {
		r = report{Facts: facts} // ratios of different machines do not belong side by side
	}
	r.put(row)
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(data, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return r.render(file)
}

// beside is the file's path with another extension.
func beside(file, extension string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + extension
}

func readReport(file string) (r report, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return report{}, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return report{}, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// put replaces a row of the same name. Rows are in the order of measurements. A row that is
// measured no more is dropped.
func (r *report) put(row Row) {
	place := func(row Row) int {
		return slices.IndexFunc(measurements(), func(m measurement) bool { return m.Name == row.Name })
	}
	r.Rows = append(slices.DeleteFunc(r.Rows, func(old Row) bool { return old.Name == row.Name || place(old) < 0 }), row)
	slices.SortFunc(r.Rows, func(a, b Row) int { return place(a) - place(b) })
}

func (r *report) render(file string) error {
	page, err := template.New("report").Funcs(template.FuncMap{"number": number}).Parse(reportTemplate)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
