package project_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

// common is what every built-in doc-type requires.
func common() map[string]any {
	return map[string]any{
		"title":        "Pool exhaustion",
		"date":         "2025-01-15",
		"summary":      "Connections were not returned.",
		"significance": "performance",
	}
}

// valid has the least front matter that each built-in doc-type accepts.
func valid(name string) map[string]any {
	own := map[string]map[string]any{
		"problem": {
			"problem_type": "bug", "symptoms": []any{"timeouts"}, "root_cause": "a leak", "solution": "close it",
		},
		"insight":  {"insight_type": "user_behavior", "impact_area": "checkout"},
		"codebase": {"knowledge_type": "data_flow", "scope": "module"},
		"tool":     {"tool_name": "pgx", "version": "5.7", "knowledge_type": "gotcha"},
		"style":    {"style_type": "naming", "scope": "team", "rationale": "one way"},
	}
	fm := common()
	maps.Copy(fm, own[name])
	return fm
}

// with returns the valid front matter of a doc-type with some fields changed; the value removed
// takes one away.
func with(name string, changes map[string]any) map[string]any {
	fm := valid(name)
	maps.Copy(fm, changes)
	maps.DeleteFunc(fm, func(_ string, v any) bool { return v == removed{} })
	return fm
}

type removed struct{}

func builtIn(t *testing.T, name string) project.DocType {
	t.Helper()
	dt, ok := mustLoad(t, newRepo(t, withConfig(`{"project_name": "a"}`))).DocType(name)
	if !ok {
		t.Fatalf("no doc-type %s", name)
	}
	return dt
}

func TestDocType_ValidateFinds(t *testing.T) {
	t.Parallel()
	const significances = "one of architectural, behavioral, performance, correctness, convention, integration"
	tests := []struct {
		name, docType string
		changes       map[string]any
		want          []project.Violation
	}{
		{"enum", "problem", map[string]any{"severity": "urgent"}, []project.Violation{
			{Field: "severity", Problem: `is "urgent"`, Expected: "one of critical, high, medium, low"},
		}},
		{"date", "problem", map[string]any{"date": "15/01/2025"}, []project.Violation{
			{Field: "date", Problem: `is "15/01/2025"`, Expected: "a date as YYYY-MM-DD"},
		}},
		{"another doc_type", "problem", map[string]any{"doc_type": "insight"}, []project.Violation{
			{Field: "doc_type", Problem: `is "insight"`, Expected: "problem, as the folder problems says"},
		}},
		{"text for a list", "problem", map[string]any{"tags": "a, b", "symptoms": "slow"}, []project.Violation{
			{Field: "symptoms", Problem: `is "slow"`, Expected: "a list of text, minItems 1"},
			{Field: "tags", Problem: `is "a, b"`, Expected: "a list of text or a number"},
		}},
		{"a long question", "problem", map[string]any{"questions": []any{strings.Repeat("y", 301)}}, []project.Violation{
			{Field: "questions[0]", Problem: `is "` + strings.Repeat("y", 100) + `"`, Expected: "text, maxLength 300"},
		}},
		{
			"all at once", "style",
			map[string]any{"title": removed{}, "date": removed{}, "summary": removed{}, "significance": "big", "scope": "world", "rationale": removed{}, "style_type": removed{}},
			[]project.Violation{
				{Field: "date", Problem: "is missing", Expected: "a date as YYYY-MM-DD"},
				{Field: "rationale", Problem: "is missing", Expected: "text"},
				{Field: "scope", Problem: `is "world"`, Expected: "one of project, module, team"},
				{Field: "significance", Problem: `is "big"`, Expected: significances},
				{Field: "style_type", Problem: "is missing", Expected: "one of naming, architecture, error_handling, testing, documentation, formatting, async_patterns"},
				{Field: "summary", Problem: "is missing", Expected: "text"},
				{Field: "title", Problem: "is missing", Expected: "text"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fm := with(tt.docType, tt.changes)
			before := maps.Clone(fm)
			got := builtIn(t, tt.docType).Validate(fm)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, fm); diff != "" {
				t.Errorf("Validate changed its argument: %s", diff)
			}
		})
	}
}

// Every required field of every built-in doc-type is really required.
func TestDocType_ValidateWithoutFrontMatter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		docType string
		want    []string
	}{
		{"problem", []string{"date", "problem_type", "root_cause", "significance", "solution", "summary", "symptoms", "title"}},
		{"insight", []string{"date", "impact_area", "insight_type", "significance", "summary", "title"}},
		{"codebase", []string{"date", "knowledge_type", "scope", "significance", "summary", "title"}},
		{"tool", []string{"date", "knowledge_type", "significance", "summary", "title", "tool_name", "version"}},
		{"style", []string{"date", "rationale", "scope", "significance", "style_type", "summary", "title"}},
	}
	for _, tt := range tests {
		t.Run(tt.docType, func(t *testing.T) {
			t.Parallel()
			got := []string{}
			for _, v := range builtIn(t, tt.docType).Validate(nil) {
				got = append(got, v.Field)
				if v.Problem != "is missing" || v.Expected == "" {
					t.Errorf("%+v", v)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
