package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/compound-docs/compound-docs/internal/project"
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
	config, err := filepath.Abs(filepath.Join(root, ".csharp-compounding-docs", "config.json"))
	if err != nil {
		return err
	}
	head, err := project.Head(filepath.Dir(filepath.Dir(config)))
	if err != nil {
		return err
	}
	arguments := answer{"config_path": config, "branch_name": cmp.Or(head.Branch, "main")}
	activated, err := d.call(ctx, "activate_project", arguments)
	if err != nil {
		return err
	}
	if err := d.client.WaitForText(ctx); err != nil { // a call does not wait for long on a slow machine
		return err
	}
	return d.print("activate_project", activated)
}

// speakUp shows what hooks of Claude Code and Cursor are told: both before the same edit, and Claude Code after a failure.
func (d *demo) speakUp(ctx context.Context) error {
	const migration = "CREATE INDEX parcels_by_driver ON parcels (driver_id);"
	for _, event := range []answer{
		{"event": "PreToolUse", "session_id": "1", "tool_name": "Write", "file_path": "db/migrations/0042.sql", "content": migration},
		{
			"event": "PostToolUseFailure", "session_id": "1", "tool_name": "Bash", "command": "go test ./...",
			"error": `ERROR: prepared statement "stmt_9" already exists (SQLSTATE 42P05)`,
		},
	} {
		got, err := d.call(ctx, "recall", event)
		if err != nil {
			return err
		}
		said, _ := got["hookSpecificOutput"].(map[string]any)
		if said["additionalContext"] == nil {
			return fmt.Errorf("recall is silent at %v", event)
		}
		d.printf("  %s\n\n", said["additionalContext"])
	}
	const inCursor = `{"hook_event_name": "preToolUse", "conversation_id": "2", "tool_name": "Write", ` +
		`"tool_input": {"file_path": "db/migrations/0042.sql", "content": "` + migration + `"}}`
	hook := d.command(ctx, root, "compound-docs", "recall", "--hook", "--client", "cursor")
	hook.Stdin = strings.NewReader(inCursor)
	output, err := hook.Output()
	if err != nil {
		return fmt.Errorf("answer a hook of Cursor: %w", err)
	}
	d.printf("→ compound-docs recall --hook --client cursor, with the same edit\n%s\n", output)
	return nil
}

func (d *demo) listDocTypes(ctx context.Context) error {
	got, err := d.call(ctx, "list_doc_types", answer{})
	if err != nil {
		return err
	}
	return d.print("list_doc_types", got)
}

func (d *demo) askSome(ctx context.Context) error {
	for _, q := range d.questions {
		if !q.Ask {
			continue
		}
		got, err := d.call(ctx, "rag_query", answer{"query": q.OtherWords})
		if err != nil {
			return err
		}
		d.written = d.written || got["generation"] == nil
		if err := d.print("rag_query", got); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) print(tool string, got answer) error {
	return templates.ExecuteTemplate(d.out, tool, got)
}

func (d *demo) searchAll(ctx context.Context) error {
	found := 0
	for _, q := range d.questions {
		got, err := d.call(ctx, "semantic_search", answer{"query": q.OtherWords, "limit": 3})
		if err != nil {
			return err
		}
		results, _ := got["results"].([]any)
		unsure, _ := got["may_answer"].([]any)
		if documents := slices.Concat(results, unsure); len(documents) > 0 {
			if first, _ := documents[0].(answer); first["path"] == q.Path {
				first["expected"] = true
				found++
			}
		}
		if err := d.print("semantic_search", got); err != nil {
			return err
		}
	}
	d.printf("%d of %d questions found their document first.\n", found, len(d.questions))
	if least := len(d.questions) - 3; found < least {
		return fmt.Errorf("at least %d should", least)
	}
	return nil
}
