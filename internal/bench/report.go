package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

//go:embed report.md.tmpl
var reportTemplate string

// write writes the report and, beside it, its picture.
func (e *environment) write(ctx context.Context, file string, rows []Row, took time.Duration) error {
	facts, err := e.facts(ctx)
	if err != nil {
		return fmt.Errorf("describe the machine: %w", err)
	}
	picture := strings.TrimSuffix(file, filepath.Ext(file)) + ".svg"
	if len(e.curves) == 0 {
		picture = ""
	} else if err := draw(e.curves, picture); err != nil {
		return err
	}
	report, err := template.New("report").Funcs(template.FuncMap{
		"number": number, "base": filepath.Base,
	}).Parse(reportTemplate)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := report.Execute(&b, struct {
		Facts   []fact
		Rows    []Row
		Picture string
		Date    string
		Took    time.Duration
	}{facts, rows, picture, time.Now().UTC().Format(time.DateOnly), took.Round(time.Minute)}); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
