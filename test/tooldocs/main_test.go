package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
)

const root = "../.."

func TestPage_IsUpToDate(t *testing.T) {
	t.Parallel()
	want, err := generate(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; make generate (-want +got):\n%s", page, diff)
	}
}

// An entry that explains nothing is left from a field that is gone.
func TestGlossary_IsUsed(t *testing.T) {
	t.Parallel()
	declared, err := list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unused, err := glossary()
	if err != nil {
		t.Fatal(err)
	}
	entries := maps.Clone(unused)
	for _, d := range declared {
		described, err := newTool(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range described.output.fields("") {
			if f.Description == "" {
				delete(unused, explanation(entries, f))
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("no field needs these entries of the glossary: %v", slices.Sorted(maps.Keys(unused)))
	}
}

func TestSchema_Words(t *testing.T) {
	t.Parallel()
	zero, hundred, most := 0.0, 100.0, 10
	for name, test := range map[string]struct {
		schema schema
		want   []string // kind, allowed, description, default
	}{
		"range":      {schema{Type: "integer", Minimum: &zero, Maximum: &hundred, Description: "How many. Default: 10, or more."}, []string{"integer", "0 to 100", "How many.", "10, or more"}},
		"stated":     {schema{Type: "string", MaxLength: &most, Default: []byte(`"x"`)}, []string{"string", "up to 10 characters", "", "`\"x\"`"}},
		"list":       {schema{Type: "array", Items: &schema{Type: "string", Enum: []string{"a", "b"}}}, []string{"array of string", "`a` or `b`", "", ""}},
		"may be nil": {schema{Type: []any{"null", "string"}}, []string{"string or null", "", "", ""}},
	} {
		description, byDefault := test.schema.describe()
		got := []string{test.schema.kind(), test.schema.allowed(), description, byDefault}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMeanings_AreOfEveryCode(t *testing.T) {
	t.Parallel()
	got := map[rag.Code]bool{}
	for _, m := range meanings() {
		got[m.Code] = true
	}
	if len(got) != 11 {
		t.Errorf("%d codes are explained, want 11", len(got))
	}
}
