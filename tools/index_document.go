package tools

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxTriggers limits the list of triggers in an answer, in the units of the function weight.
const maxTriggers = 1_500

// embeddingDimensions is the length of every vector in the index.
const embeddingDimensions = 1024

// IndexDocumentInput has the parameters of index_document.
type IndexDocumentInput struct {
	Path string `json:"path" jsonschema:"Path of the document, relative to the repository or to the documents' folder."`
}

// IndexDocumentOutput is the answer of index_document.
type IndexDocumentOutput struct {
	Status              string `json:"status"`
	Path                string `json:"path"`
	EmbeddingDimensions int    `json:"embedding_dimensions"`
	// Embedded says that the document has vectors of the model. EmbeddedReason says why they are missing, or is "".
	Embedded       bool   `json:"embedded"`
	EmbeddedReason string `json:"embedded_reason,omitempty"`

	Warnings []string `json:"warnings,omitempty"`
	// Triggers are the acts, such as commands, at which hooks name the document. The server describes the acts.
	Triggers []string `json:"triggers,omitempty"`

	Neighbours []UnsureDocument `json:"neighbours,omitempty"`
	Message    string           `json:"message,omitempty"`
}

func indexDocumentTool() Tool {
	return newTool(ofProject, (*Handler).IndexDocument, &mcp.Tool{
		Name:  "index_document",
		Title: "Index document",
		Description: "Validate and index one document now. Use it after writing or editing one: it lists everything that is wrong " +
			"with its front matter, or the documents near it, to extend, replace or keep. Not needed for files that were " +
			"only moved or deleted.",
		Meta:        searchHint("check a document that was just written"),
		Annotations: writesIndex(),
		InputSchema: inputSchema[IndexDocumentInput](map[string][]property{
			"path": {notEmpty, example("./csharp-compounding-docs/problems/example-20260102.md")},
		}),
		OutputSchema: outputSchema[IndexDocumentOutput](map[string][]property{
			"status": {oneOf("indexed")}, "neighbours": {declaredElsewhere},
		}),
	})
}

// IndexDocument indexes a document. It returns warnings about it and names documents near it.
func (h *Handler) IndexDocument(ctx context.Context, in IndexDocumentInput) (IndexDocumentOutput, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return IndexDocumentOutput{}, err
	}
	indexed, err := active.IndexFile(ctx, in.Path)
	if err != nil {
		return IndexDocumentOutput{}, err
	}
	path := indexed.Path
	out := IndexDocumentOutput{
		Status: "indexed", Path: wirePath(path), EmbeddingDimensions: embeddingDimensions, Embedded: indexed.Unembedded == nil,
	}
	if indexed.Unembedded != nil {
		out.EmbeddedReason = brief("vectors of the model follow when its server is there: " + indexed.Unembedded.Error())
	}
	advice, triggers, doubts := active.Understood(path)
	for _, v := range advice {
		warning := fmt.Sprintf("%s %s (expected: %s)", v.Field, v.Problem, v.Expected)
		out.Warnings = append(out.Warnings, cutLine(warning, textLimit(len(advice))))
	}
	for _, doubt := range doubts {
		out.Warnings = append(out.Warnings, cutLine(doubt, textLimit(len(doubts))))
	}
	warnings, omitted := fit(out.Warnings, maxSideList)
	if omitted > 0 {
		warnings = append(warnings, fmt.Sprintf("%d more", omitted))
	}
	out.Warnings = warnings
	out.Triggers, _ = fit(triggers, maxTriggers)
	near, err := active.Neighbours(ctx, path, h.workspace.Searcher)
	if err != nil { // the document is in the index anyway
		h.logger.DebugContext(ctx, "find what is near a document", "error", err)
	}
	if len(near) > 0 {
		out.Neighbours, out.Message = unsureDocuments(near), whatToDo
	}
	return out, nil
}

// whatToDo asks the client's model to decide, because a duplicate and a related document can be equally similar.
const whatToDo = "Read the neighbours and decide: extend one of them and remove this document, " +
	"let this one replace it (supersedes in the front matter), or keep both and link them."
