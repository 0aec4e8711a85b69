package project_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

func TestDocType_Fields(t *testing.T) {
	t.Parallel()
	root := newRepo(t, map[string]string{
		configPath: `{"project_name": "a", "custom_doc_types": [
			{"name": "note", "description": "Notes", "folder": "notes"},
			{"name": "contract", "description": "Contracts", "folder": "contracts", "schema_file": "./schemas/contract.yaml"},
			{"name": "adr", "description": "Decisions", "folder": "adrs", "schema_file": "./schemas/adr.json"}]}`,
		"csharp-compounding-docs/schemas/contract.yaml": "required: [title, endpoint]\n" +
			"properties:\n" +
			"  endpoint: {type: string, description: The URL}\n" +
			"  method: {enum: [GET, POST]}\n",
		"csharp-compounding-docs/schemas/adr.json": `{"type": "object", "required": ["state", "doc_type"], "properties": {
			"doc_type": {"const": "adr"}, "state": {"enum": ["open", "done"], "description": "How far it is"}, "number": {"type": "integer"}}}`,
	})
	const (
		date  = "a date as YYYY-MM-DD"
		level = "one of standard, important, critical"
		texts = "a list of text"
		other = "text or a list of text"
	)
	promotion := project.Field{
		Name: "promotion_level", Expected: level,
		Description: "How strongly the document is put forward: critical documents are in every answer's context.",
	}
	questions := project.Field{
		Name: "questions", Expected: "a list of text, maxLength 300, maxItems 10",
		Description: "What the document answers, as somebody asks who does not know the answer.",
	}
	custom := []project.Field{
		{Name: "amended_by", Expected: other, Description: "Path of the document that changes a part of this one, or a list of them."},
		{Name: "amends", Expected: other, Description: "Path of the document of which this one changes a part, or a list of them."},
		{Name: "date", Expected: date},
		{Name: "expires", Description: "The last day on which it holds."},
		promotion,
		questions,
		{Name: "related_docs", Expected: texts, Description: "Paths of documents to read with this one, relative to it, or else to the folder of all documents."},
		{Name: "review_by", Description: "The same as expires."},
		{Name: "status", Description: "Whether it holds, such as accepted, proposed, rejected, deprecated, or superseded by ./new.md."},
		{Name: "superseded_by", Expected: other, Description: "Path of the document that replaces this one, or a list of them."},
		{Name: "supersedes", Expected: other, Description: "Path of the document that this one replaces, or a list of them."},
		{Name: "tags", Expected: "a list of text or a number", Description: "Words to find the document by."},
		{Name: "valid_until", Description: "The same as expires."},
	}
	want := map[string][]project.Field{
		"note": append([]project.Field{{Name: "title", Required: true, Expected: "text"}}, custom...),
		"contract": {
			{Name: "title", Required: true},
			{Name: "endpoint", Required: true, Expected: "text", Description: "The URL"},
			{Name: "method", Expected: "one of GET, POST"},
			promotion, questions,
		},
		"adr": {
			{Name: "state", Required: true, Expected: "one of open, done", Description: "How far it is"},
			{Name: "number", Expected: "a whole number"},
			promotion, questions,
		},
	}
	got := map[string][]project.Field{}
	p := mustLoad(t, root)
	for name := range want {
		docType, ok := p.DocType(name)
		if !ok {
			t.Fatalf("no doc-type %s", name)
		}
		got[name] = docType.Fields()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}
