package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag"
)

const root = "../.."

func TestDocs_AreUpToDate(t *testing.T) {
	t.Parallel()
	generated, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range generated {
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is out of date; run make generate (-want +got):\n%s", path, diff)
		}
	}
}

// An unused entry belongs to a field that was removed.
func TestExplanations_AreUsed(t *testing.T) {
	t.Parallel()
	groups, err := describeTools(root)
	if err != nil {
		t.Fatal(err)
	}
	general, err := glossary()
	if err != nil {
		t.Fatal(err)
	}
	unused := maps.Clone(general)
	for _, g := range groups {
		for _, described := range g.Tools {
			own := maps.Clone(described.Fields)
			for _, f := range fields(described.output(), "") {
				if f.Description != "" {
					continue
				}
				if _, key := explanation(described.Fields, f.Path); key != "" {
					delete(own, key)
				} else if _, key := explanation(general, f.Path); key != "" {
					delete(unused, key)
				}
			}
			if len(own) > 0 {
				t.Errorf("no field of %s needs these entries of its example file: %v", described.Name, slices.Sorted(maps.Keys(own)))
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("no field needs these entries of the glossary: %v", slices.Sorted(maps.Keys(unused)))
	}
}

func TestPage_ExplainsEveryErrorCode(t *testing.T) {
	t.Parallel()
	for _, code := range []rag.Code{
		rag.ProjectNotActivated, rag.InvalidArgument, rag.InvalidDocType, rag.DocumentNotFound, rag.SchemaValidationFailed,
		rag.ExternalDocsNotConfigured, rag.ExternalDocsNotPromotable, rag.EmbeddingServiceError, rag.DatabaseError,
		rag.FileSystemError, rag.InternalError,
	} {
		if !strings.Contains(pageTemplate, "\n| `"+string(code)+"` | ") {
			t.Errorf("the template does not explain %s", code)
		}
	}
}
