// Package tools is the MCP face of the server: one tool a file, each a short
// composition of session and rag. It knows MCP and the tool contract; it must
// not know SQL, HTTP or how files are watched.
package tools

import (
	_ "embed"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/session"
)

//go:embed instructions.md
var instructions string

// handler holds what the tools compose.
type handler struct {
	session *session.Session
	logger  *slog.Logger
}

// NewServer returns the MCP server with every tool. It answers before any
// database or model does.
func NewServer(s *session.Session, version string, logger *slog.Logger) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "compound-docs", Title: "Compound Docs", Version: version},
		&mcp.ServerOptions{
			Instructions: instructions,
			Logger:       logger,
			Capabilities: &mcp.ServerCapabilities{},
		},
	)
	server.AddReceivingMiddleware(reportErrors(logger))
	h := &handler{session: s, logger: logger}
	mcp.AddTool(server, activateProjectTool(), h.activateProject)
	mcp.AddTool(server, semanticSearchTool(), h.semanticSearch)
	mcp.AddTool(server, ragQueryTool(), h.ragQuery)
	mcp.AddTool(server, searchExternalDocsTool(), h.searchExternalDocs)
	mcp.AddTool(server, ragQueryExternalTool(), h.ragQueryExternal)
	mcp.AddTool(server, indexDocumentTool(), h.indexDocument)
	mcp.AddTool(server, listDocTypesTool(), h.listDocTypes)
	mcp.AddTool(server, deleteDocumentsTool(), h.deleteDocuments)
	mcp.AddTool(server, updatePromotionLevelTool(), h.updatePromotionLevel)
	mcp.AddTool(server, pingTool(), h.ping)
	return server
}
