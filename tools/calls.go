package tools

import (
	"context"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
)

type (
	// SearchInput has the arguments of [Calls.Search].
	SearchInput = semanticSearchInput
	// SearchOutput is the answer of [Calls.Search].
	SearchOutput = semanticSearchOutput
	// SearchExternalInput has the arguments of [Calls.SearchExternal].
	SearchExternalInput = searchExternalDocsInput
	// SearchExternalOutput is the answer of [Calls.SearchExternal].
	SearchExternalOutput = searchExternalDocsOutput
	// SearchHandbookInput has the arguments of [Calls.SearchHandbook].
	SearchHandbookInput = searchHandbookInput
	// AskInput has the arguments of [Calls.Ask].
	AskInput = ragQueryInput
	// AskOutput is the answer of [Calls.Ask].
	AskOutput = ragQueryOutput
	// AskExternalInput has the arguments of [Calls.AskExternal].
	AskExternalInput = ragQueryExternalInput
	// AskExternalOutput is the answer of [Calls.AskExternal].
	AskExternalOutput = ragQueryExternalOutput
	// ActivateOutput is the answer of [Calls.Sync].
	ActivateOutput = activateProjectOutput
	// DocTypesOutput is the answer of [Calls.DocTypes].
	DocTypesOutput = listDocTypesOutput
	// IndexInput has the arguments of [Calls.Index].
	IndexInput = indexDocumentInput
	// IndexOutput is the answer of [Calls.Index].
	IndexOutput = indexDocumentOutput
	// PromoteInput has the arguments of [Calls.Promote].
	PromoteInput = updatePromotionLevelInput
	// PromoteOutput is the answer of [Calls.Promote].
	PromoteOutput = updatePromotionLevelOutput
	// DeleteInput has the arguments of [Calls.Delete].
	DeleteInput = deleteDocumentsInput
	// DeleteOutput is the answer of [Calls.Delete].
	DeleteOutput = deleteDocumentsOutput
	// IndexStatus says how far the index is behind the files.
	IndexStatus = indexOutput
	// Closest is the most relevant document, if none reached the threshold.
	Closest = closestOutput
)

// Calls answers calls of the tools from within the program, such as those of a command
// line: with the same checks of the arguments and by the same handlers, but without MCP.
// Errors are those that the tools report. Safe for concurrent use.
type Calls struct{ handler *handler }

// NewCalls returns the calls of the tools on a workspace.
func NewCalls(w *workspace.Workspace, logger *slog.Logger) *Calls {
	return &Calls{handler: &handler{workspace: w, handbook: newHandbookCache(logger), logger: logger}}
}

// Search calls semantic_search.
func (c *Calls) Search(ctx context.Context, in SearchInput) (SearchOutput, error) {
	return call(ctx, c, semanticSearchTool(), (*handler).semanticSearch, in)
}

// SearchExternal calls search_external_docs.
func (c *Calls) SearchExternal(ctx context.Context, in SearchExternalInput) (SearchExternalOutput, error) {
	return call(ctx, c, searchExternalDocsTool(), (*handler).searchExternalDocs, in)
}

// Ask calls rag_query. onText is called with each piece of the answer that the language
// model writes.
func (c *Calls) Ask(ctx context.Context, in AskInput, onText func(text string)) (AskOutput, error) {
	if err := check(ragQueryTool(), in); err != nil {
		return AskOutput{}, err
	}
	return c.handler.ask(ctx, in, onText)
}

// AskExternal calls rag_query_external; see [Calls.Ask].
func (c *Calls) AskExternal(ctx context.Context, in AskExternalInput, onText func(text string)) (AskExternalOutput, error) {
	if err := check(ragQueryExternalTool(), in); err != nil {
		return AskExternalOutput{}, err
	}
	return c.handler.askExternal(ctx, in, onText)
}

// DocTypes calls list_doc_types.
func (c *Calls) DocTypes(ctx context.Context) (DocTypesOutput, error) {
	return call(ctx, c, listDocTypesTool(), (*handler).listDocTypes, listDocTypesInput{})
}

// Index calls index_document.
func (c *Calls) Index(ctx context.Context, in IndexInput) (IndexOutput, error) {
	return call(ctx, c, indexDocumentTool(), (*handler).indexDocument, in)
}

// Promote calls update_promotion_level.
func (c *Calls) Promote(ctx context.Context, in PromoteInput) (PromoteOutput, error) {
	return call(ctx, c, updatePromotionLevelTool(), (*handler).updatePromotionLevel, in)
}

// Delete calls delete_documents.
func (c *Calls) Delete(ctx context.Context, in DeleteInput) (DeleteOutput, error) {
	return call(ctx, c, deleteDocumentsTool(), (*handler).deleteDocuments, in)
}

// Sync answers as activate_project does, once the project that the workspace was made
// for is whole in the index; see [workspace.Workspace.Sync]. An answer comes with its
// error too, unless the project cannot be activated.
func (c *Calls) Sync(ctx context.Context, progress func(workspace.Status)) (ActivateOutput, error) {
	active, err := c.handler.workspace.Sync(ctx, progress)
	if active == nil {
		return ActivateOutput{}, err
	}
	out, outErr := activated(ctx, active)
	if err == nil {
		err = outErr
	}
	return out, err
}

// SearchHandbookOutput has the results of search_handbook. The tool answers with Text alone.
type SearchHandbookOutput struct {
	Results      []HandbookResult `json:"results"`
	TotalMatches int              `json:"total_matches"`
	Text         string           `json:"-"`
}

// HandbookResult is a passage of the handbook.
type HandbookResult struct {
	Source         string  `json:"source"`
	Section        string  `json:"section,omitempty"`
	Chunk          int     `json:"chunk"`
	RelevanceScore float64 `json:"relevance_score"`
	Content        string  `json:"content"`
}

// SearchHandbook calls search_handbook.
func (c *Calls) SearchHandbook(ctx context.Context, in SearchHandbookInput) (SearchHandbookOutput, error) {
	if err := check(searchHandbookTool(), in); err != nil {
		return SearchHandbookOutput{}, err
	}
	passages, text, err := c.handler.answerHandbook(ctx, in)
	out := SearchHandbookOutput{Results: make([]HandbookResult, len(passages)), TotalMatches: len(passages), Text: text}
	for i, p := range passages {
		out.Results[i] = HandbookResult{
			Source: p.Source, Section: p.Section, Chunk: p.Chunk, RelevanceScore: round(p.Score), Content: p.Content,
		}
	}
	return out, err
}

func call[In, Out any](ctx context.Context, c *Calls, tool Tool, handle callHandler[In, Out], in In) (out Out, err error) {
	if err := check(tool, in); err != nil {
		return out, err
	}
	_, out, err = handle(c.handler, ctx, &mcp.CallToolRequest{}, in)
	return out, err
}

// check checks arguments as the server checks those of a request.
func check(tool Tool, in any) error {
	arguments := encode(in)
	if arguments == nil {
		return rag.Errorf(rag.InvalidArgument, "the arguments of %s hold a number that is none", tool.Name)
	}
	_, err := tool.parameters().check(arguments)
	return err
}
