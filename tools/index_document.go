package tools

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// embeddingDimensions is the length of every vector in the index.
const embeddingDimensions = 1024

type indexDocumentInput struct {
	Path string `json:"path" jsonschema:"Path of the document, relative to the repository or to the documents' folder."`
}

type indexDocumentOutput struct {
	Status              string `json:"status"`
	Path                string `json:"path"`
	EmbeddingDimensions int    `json:"embedding_dimensions"`

	Warnings []string `json:"warnings,omitempty"`
}

func indexDocumentTool() Tool {
	return newProjectTool((*handler).indexDocument, &mcp.Tool{
		Name:  "index_document",
		Title: "Index document",
		Description: "Validate, index and embed one document now. Use it after writing or editing a document: it confirms that the " +
			"document is searchable, or lists everything that is wrong with its front matter. Not needed for files " +
			"that were only moved or deleted.",
		Meta:        searchHint("check a document that was just written"),
		Annotations: readOnly(),
		InputSchema: inputSchema[indexDocumentInput](map[string][]property{
			"path": {notEmpty, example("./csharp-compounding-docs/problems/example-20260102.md")},
		}),
		OutputSchema: outputSchema[indexDocumentOutput](map[string][]property{"status": {oneOf("indexed")}}),
	})
}

func (h *handler) indexDocument(
	ctx context.Context, _ *mcp.CallToolRequest, in indexDocumentInput,
) (*mcp.CallToolResult, indexDocumentOutput, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return nil, indexDocumentOutput{}, err
	}
	path, err := active.IndexFile(ctx, in.Path)
	if err != nil {
		return nil, indexDocumentOutput{}, err
	}
	out := indexDocumentOutput{Status: "indexed", Path: wirePath(path), EmbeddingDimensions: embeddingDimensions}
	advice := active.Advice(path)
	warnings, omitted := fitList(maxSideList, func(limit int) []string {
		warnings := make([]string, len(advice))
		for i, v := range advice {
			warnings[i] = markdown.CutRunes(fmt.Sprintf("%s %s (expected: %s)", v.Field, v.Problem, v.Expected), limit)
		}
		return warnings
	})
	if out.Warnings = warnings; omitted > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d more", omitted))
	}
	return nil, out, nil
}
