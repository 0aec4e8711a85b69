package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

// ListDocTypesInput has the parameters of list_doc_types.
type ListDocTypesInput struct{}

// ListDocTypesOutput is the answer of list_doc_types.
type ListDocTypesOutput struct {
	DocTypes     []docTypeOutput `json:"doc_types"`
	OmittedCount int             `json:"omitted_count,omitempty"`
	Index        *IndexStatus    `json:"index,omitempty"`
}

type docTypeOutput struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Folder      string `json:"folder"`
	Schema      string `json:"schema"`
	DocCount    int    `json:"doc_count"`
	Custom      bool   `json:"custom,omitempty"`
}

func listDocTypesTool() Tool {
	return newTool(ofProject, (*Handler).ListDocTypes, &mcp.Tool{
		Name:  "list_doc_types",
		Title: "List doc-types",
		Description: "List the doc-types of the active project with their folders, schemas and numbers of documents. " +
			"Use it before writing a document, or to learn what doc_types filters accept.",
		Meta: mcp.Meta{
			searchHintKey: "doc-types with folders and schemas, before writing a document", "ui": map[string]any{"resourceUri": pageURI},
		},
		Annotations:  readOnly(),
		InputSchema:  inputSchema[ListDocTypesInput](nil),
		OutputSchema: outputSchema[ListDocTypesOutput](map[string][]property{"index": {declaredElsewhere}}),
	})
}

// ListDocTypes lists the doc-types of the active project.
func (h *Handler) ListDocTypes(ctx context.Context, _ ListDocTypesInput) (ListDocTypesOutput, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return ListDocTypesOutput{}, err
	}
	before := active.Status()
	docTypes, err := active.DocTypes(ctx)
	if err != nil {
		return ListDocTypesOutput{}, err
	}
	out := ListDocTypesOutput{Index: indexOfHits(active, before, catalog.Compounding, false)}
	list := make([]docTypeOutput, len(docTypes))
	for i, docType := range docTypes {
		list[i] = docTypeOutput{
			Name: docType.Name, Description: cutLine(docType.Description, textLimit(len(docTypes))), Folder: docType.Folder,
			Schema: docType.Schema, DocCount: docType.Documents, Custom: docType.Custom,
		}
	}
	out.DocTypes, out.OmittedCount = fit(list, maxList)
	return out, nil
}
