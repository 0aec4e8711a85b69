package main

import (
	"context"
	"fmt"
	"strings"
)

func (d *demo) activate(ctx context.Context) error {
	config, branch, err := configAndBranch()
	if err != nil {
		return err
	}
	var answer struct {
		ProjectName string `json:"project_name"`
		BranchName  string `json:"branch_name"`
		TotalDocs   int    `json:"total_docs"`
		Index       any    `json:"index"`
	}
	arguments := map[string]any{"config_path": config, "branch_name": branch}
	if err := d.call(ctx, "activate_project", arguments, &answer); err != nil {
		return err
	}
	if answer.Index != nil { // a call does not wait for long on a slow machine
		if err := d.client.Activate(ctx, config, branch); err != nil {
			return err
		}
		if err := d.call(ctx, "activate_project", arguments, &answer); err != nil {
			return err
		}
	}
	d.printf("  %s on branch %s: %d documents\n", answer.ProjectName, answer.BranchName, answer.TotalDocs)
	return nil
}

func (d *demo) listDocTypes(ctx context.Context) error {
	var answer struct {
		DocTypes []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Folder      string `json:"folder"`
			Schema      string `json:"schema"`
			DocCount    int    `json:"doc_count"`
		} `json:"doc_types"`
	}
	if err := d.call(ctx, "list_doc_types", map[string]any{}, &answer); err != nil {
		return err
	}
	for _, t := range answer.DocTypes {
		d.printf("  %-13s %2d in %-14s %s (%s)\n", t.Name, t.DocCount, t.Folder+"/", t.Description, t.Schema)
	}
	return nil
}

type result struct {
	Path           string  `json:"path"`
	Title          string  `json:"title"`
	RelevanceScore float64 `json:"relevance_score"`
	PromotionLevel string  `json:"promotion_level"`
	HeaderPath     string  `json:"header_path"`
	StartLine      int     `json:"start_line"`
	EndLine        int     `json:"end_line"`
}

func (r result) place() string {
	place := fmt.Sprintf("%s, lines %d to %d", r.Path, r.StartLine, r.EndLine)
	if r.HeaderPath != "" {
		place += ", " + r.HeaderPath
	}
	return place
}

func (d *demo) searchAll(ctx context.Context, asked []question) error {
	found := 0
	for _, q := range asked {
		var answer struct {
			Results []result `json:"results"`
		}
		if err := d.call(ctx, "semantic_search", map[string]any{"query": q.Question, "limit": 3}, &answer); err != nil {
			return err
		}
		for i, r := range answer.Results {
			mark := "  "
			if i == 0 && r.Path == q.Path {
				mark = "✓ "
				found++
			}
			d.printf("  %s%.2f %-9s %s\n              %s\n", mark, r.RelevanceScore, r.PromotionLevel, r.Title, r.place())
		}
		d.printf("\n")
	}
	if found < len(asked) {
		return fmt.Errorf("only %d of %d questions found their document first", found, len(asked))
	}
	d.printf("All %d questions found their document first.\n", found)
	return nil
}

func (d *demo) ask(ctx context.Context, q question) error {
	var answer struct {
		Answer     string   `json:"answer"`
		Sources    []result `json:"sources"`
		LinkedDocs []struct {
			Path       string `json:"path"`
			LinkedFrom string `json:"linked_from"`
		} `json:"linked_docs"`
		Generation string `json:"generation"`
	}
	if err := d.call(ctx, "rag_query", map[string]any{"query": q.Question}, &answer); err != nil {
		return err
	}
	d.printf("  %s\n", strings.ReplaceAll(answer.Answer, "\n", "\n  "))
	if answer.Generation != "" {
		d.printf("  (%s: the language model failed)\n", answer.Generation)
	}
	for _, s := range answer.Sources {
		d.printf("  source  %.2f %-9s %s\n", s.RelevanceScore, s.PromotionLevel, s.place())
	}
	for _, l := range answer.LinkedDocs {
		d.printf("  linked  %s, from %s\n", l.Path, l.LinkedFrom)
	}
	d.printf("\n")
	return nil
}
