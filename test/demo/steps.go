package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

// answer is the answer of a tool.
type answer = map[string]any

//go:embed answers.tmpl
var answers string

// templates print what of the answers is worth reading.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"indent": func(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") },
}).Parse(answers))

func (d *demo) activate(ctx context.Context) error {
	config, branch, err := configAndBranch()
	if err != nil {
		return err
	}
	arguments := answer{"config_path": config, "branch_name": branch}
	activated, err := d.call(ctx, "activate_project", arguments)
	if err != nil {
		return err
	}
	if activated["index"] != nil { // a call does not wait for long on a slow machine
		if err := d.client.Activate(ctx, config, branch); err != nil {
			return err
		}
		if activated, err = d.call(ctx, "activate_project", arguments); err != nil {
			return err
		}
	}
	return d.print("activate_project", activated)
}

func (d *demo) listDocTypes(ctx context.Context) error {
	return d.show(ctx, "list_doc_types", answer{})
}

func (d *demo) askSome(ctx context.Context) error {
	for _, q := range d.questions {
		if !q.Ask {
			continue
		}
		if err := d.show(ctx, "rag_query", answer{"query": q.Question}); err != nil {
			return err
		}
	}
	return nil
}

// show calls a tool and prints its answer.
func (d *demo) show(ctx context.Context, tool string, arguments answer) error {
	got, err := d.call(ctx, tool, arguments)
	if err != nil {
		return err
	}
	return d.print(tool, got)
}

func (d *demo) print(tool string, got answer) error {
	return templates.ExecuteTemplate(d.out, tool, got)
}

func (d *demo) searchAll(ctx context.Context) error {
	found := 0
	for _, q := range d.questions {
		got, err := d.call(ctx, "semantic_search", answer{"query": q.Question, "limit": 3})
		if err != nil {
			return err
		}
		if results, _ := got["results"].([]any); len(results) > 0 {
			if first, _ := results[0].(answer); first["path"] == q.Path {
				first["expected"] = true
				found++
			}
		}
		if err := d.print("semantic_search", got); err != nil {
			return err
		}
	}
	if found < len(d.questions) {
		return fmt.Errorf("only %d of %d questions found their document first", found, len(d.questions))
	}
	d.printf("All %d questions found their document first.\n", found)
	return nil
}
