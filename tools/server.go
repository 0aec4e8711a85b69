// Package tools is the MCP face of the server: one tool a file, each a short
// composition of session and rag. It knows MCP and the tool contract; it must
// not know SQL, HTTP or how files are watched.
package tools

import (
	"context"
	_ "embed"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

//go:embed instructions.md
var instructions string

// handler holds what the tools compose.
type handler struct {
	session  *workspace.Workspace
	handbook *handbookCache
	logger   *slog.Logger
}

// NewServer returns the MCP server with every tool, the documents as resources
// and the prompts. It answers before any database or model does.
func NewServer(s *workspace.Workspace, version string, logger *slog.Logger) *mcp.Server {
	h := &handler{session: s, handbook: newHandbookCache(logger), logger: logger}
	server := mcp.NewServer(
		&mcp.Implementation{Name: "compound-docs", Title: "Compound Docs", Version: version},
		&mcp.ServerOptions{
			Instructions: instructions,
			Logger:       logger,
			// No list of these changes while the server runs.
			Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{},
			},
			CompletionHandler: h.complete,
		},
	)
	checks := argumentChecks{}
	server.AddReceivingMiddleware(validErrors, recoverPanics(logger), reportErrors(logger), logCalls(logger), checks.middleware)
	addTool(server, checks, activateProjectTool(), h.activateProject)
	addTool(server, checks, semanticSearchTool(), h.semanticSearch)
	addTool(server, checks, ragQueryTool(), h.ragQuery)
	addTool(server, checks, searchExternalDocsTool(), h.searchExternalDocs)
	addTool(server, checks, ragQueryExternalTool(), h.ragQueryExternal)
	addTool(server, checks, indexDocumentTool(), h.indexDocument)
	addTool(server, checks, listDocTypesTool(), h.listDocTypes)
	addTool(server, checks, deleteDocumentsTool(), h.deleteDocuments)
	addTool(server, checks, updatePromotionLevelTool(), h.updatePromotionLevel)
	addTool(server, checks, searchHandbookTool(), h.searchHandbook)
	addTool(server, checks, pingTool(), h.ping)
	server.AddResourceTemplate(documentTemplate(), h.readDocument)
	server.AddPrompt(recallPrompt(), h.recall)
	server.AddPrompt(capturePrompt(), h.capture)
	return server
}

// addTool declares a tool whose arguments are checked before handle sees them.
func addTool[In, Out any](server *mcp.Server, checks argumentChecks, tool *mcp.Tool, handle mcp.ToolHandlerFor[In, Out]) {
	checks.add(tool)
	mcp.AddTool(server, tool, func(ctx context.Context, request *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		result, out, err := handle(ctx, request, in)
		if c, ok := any(out).(counted); ok && err == nil {
			noteResults(ctx, c.resultCount())
		}
		return result, out, err
	})
}
