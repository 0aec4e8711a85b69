package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

// Caller calls the tools from within the program, as the commands do: with the checks of a
// request and by the same handlers, but without MCP. Safe for concurrent use.
type Caller struct{ handler *handler }

// NewCaller returns a caller of the tools on a workspace; see [NewServer].
func NewCaller(w *workspace.Workspace, home string, logger *slog.Logger) *Caller {
	return &Caller{handler: newHandler(w, home, logger)}
}

// Call calls the tool of that name, and returns the text of its answer: JSON, but for
// search_handbook. An argument that is nil counts as not given. The error is the one that
// the tool reports. Call panics if there is no such tool.
func (c *Caller) Call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	raw, err := encodeArguments(arguments)
	if err != nil {
		return "", err
	}
	request := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: raw}}
	answer, _, err := toolNamed(name).call(c.handler, ctx, request)
	if err != nil {
		return "", err
	}
	return textOf(answer), nil
}

func toolNamed(name string) Tool {
	for _, group := range Groups() {
		for _, tool := range group.Tools {
			if tool.Name == name {
				return tool
			}
		}
	}
	panic("tools: there is no tool " + name)
}

// textOf returns the text of an answer, which is its only content.
func textOf(answer *mcp.CallToolResult) string {
	text, _ := answer.Content[0].(*mcp.TextContent)
	return text.Text
}

func encodeArguments(arguments map[string]any) (json.RawMessage, error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, apierror.Errorf(apierror.InvalidArgument, "the arguments contain NaN or infinity; give a number such as 0.5")
	}
	return raw, nil
}

// decodeArguments checks arguments as those of a request are checked.
func decodeArguments[In any](tool Tool, arguments map[string]any) (in In, err error) {
	raw, err := encodeArguments(arguments)
	if err != nil {
		return in, err
	}
	return in, tool.parameters().decode(raw, &in)
}

type textKey struct{}

// WithText returns a context in which rag_query and rag_query_external call onText with
// each piece of the answer that the language model writes.
func WithText(ctx context.Context, onText func(text string)) context.Context {
	return context.WithValue(ctx, textKey{}, onText)
}

// Sync answers as activate_project does, once the project that the workspace was made
// for is whole in the index; see [workspace.Workspace.Sync]. The answer comes with its
// error too, and is nil only if the project cannot be activated.
func (c *Caller) Sync(ctx context.Context, progress func(workspace.Status)) (*ActivateProjectOutput, error) {
	active, err := c.handler.workspace.Sync(ctx, progress)
	if active == nil {
		return nil, err
	}
	answer, answerErr := c.handler.activated(ctx, active)
	if err == nil {
		err = answerErr
	}
	return &answer, err
}

// HandbookAnswer has the passages that search_handbook answers with as text.
type HandbookAnswer struct {
	Results      []HandbookResult `json:"results"`
	TotalMatches int              `json:"total_matches"`
}

// HandbookResult is a passage of the handbook.
type HandbookResult struct {
	Source         string  `json:"source"`
	Section        string  `json:"section,omitempty"`
	Chunk          int     `json:"chunk"`
	RelevanceScore float64 `json:"relevance_score"`
	Content        string  `json:"content"`
}

// SearchHandbook makes the search of search_handbook.
func (c *Caller) SearchHandbook(ctx context.Context, arguments map[string]any) (HandbookAnswer, error) {
	in, err := decodeArguments[searchHandbookInput](searchHandbookTool(), arguments)
	if err != nil {
		return HandbookAnswer{}, err
	}
	passages, _, err := c.handler.answerHandbook(ctx, in)
	answer := HandbookAnswer{Results: make([]HandbookResult, len(passages)), TotalMatches: len(passages)}
	for i, p := range passages {
		answer.Results[i] = HandbookResult{
			Source: p.Path, Section: p.DocType, Chunk: p.Ordinal, RelevanceScore: round(p.Score), Content: p.Content,
		}
	}
	return answer, err
}

// SearchAnswer returns the structured content with which semantic_search answers
// the hits, as JSON, so that an evaluation can say what an answer costs.
func SearchAnswer(hits rag.Hits) ([]byte, error) {
	results, omitted := fit(searchResults(hits.Documents, nil), maxList)
	answer, err := readable(semanticSearchOutput{Results: results, TotalMatches: len(results), OmittedCount: omitted})
	if err != nil {
		return nil, fmt.Errorf("encode a search answer: %w", err)
	}
	return answer, nil
}
