// Package tools is the MCP side of the server. Each tool has a file, and combines calls of workspace and rag. The
// package must not know SQL, HTTP or how files are watched.
package tools

import (
	_ "embed"
	"log/slog"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

//go:embed instructions.md
var instructions string

// Groups lists every tool, in the order of docs/tools.md and the README.
func Groups() []Group {
	return []Group{
		{"Find and ask", []Tool{
			semanticSearchTool(),
			ragQueryTool(),
			searchExternalDocsTool(),
			ragQueryExternalTool(),
			searchHandbookTool(),
		}},
		{"Write and maintain", []Tool{
			listDocTypesTool(),
			indexDocumentTool(),
			updatePromotionLevelTool(),
			deleteDocumentsTool(),
		}},
		{"Set up", []Tool{
			activateProjectTool(),
			pingTool(),
		}},
		{"For hooks", []Tool{recallTool()}},
	}
}

// Handler has a method for each tool. The MCP server and commands call the methods. Safe for concurrent use.
type Handler struct {
	workspace *workspace.Workspace
	tools     func() map[string]Tool // tools by name; made when needed, because a hook needs none
	handbook  *lru.Cache[handbookSearch, handbookHits]
	recalls   *hooks.Store
	logger    *slog.Logger
	// words returns how the front end (MCP or the command line) names tools and parameters in messages.
	words apierror.Words
	// repository is the repository in which the server was started, or "".
	repository string
	// writing limits how many calls use the language model at the same time. turns limits all other calls that need a
	// project. A call first sends an element to one of these channels, and waits while the channel is full.
	turns, writing chan struct{}
	// rootlessUntil is when the server may ask the client for its roots again, in Unix nanoseconds. It is set
	// after the client named no roots or failed to answer.
	rootlessUntil atomic.Int64
}

// maxTurns and maxWriting are the capacities of turns and writing. maxTurns is small, because calls share a few
// database connections and processors. The time limit of a call begins when the wait of the call has ended.
const maxTurns, maxWriting = 8, 32

// NewHandler returns a Handler that works on w, with messages in the words of a front end. It keeps notes about hooks
// and unanswered questions in home, the folder of the user's files.
func NewHandler(w *workspace.Workspace, home string, words apierror.Words, logger *slog.Logger) *Handler {
	handbook, _ := lru.New[handbookSearch, handbookHits](cachedSearches) // fails only for a size below 1
	return &Handler{
		workspace: w, tools: sync.OnceValue(toolsByName), words: words, recalls: hooks.NewStore(home), handbook: handbook,
		logger: logger,
		turns:  make(chan struct{}, maxTurns), writing: make(chan struct{}, maxWriting),
	}
}

func toolsByName() map[string]Tool {
	tools := map[string]Tool{}
	for _, group := range Groups() {
		for _, tool := range group.Tools {
			tools[tool.Name] = tool
		}
	}
	return tools
}

// NewServer returns the MCP server with every tool. repository is the repository in which the server was started, or
// "". The handshake needs neither the database nor a model.
func NewServer(h *Handler, repository, version string) *mcp.Server {
	h.repository = repository
	// Without listChanged: the lists of tools and resources stay the same while the server runs.
	capabilities := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	capabilities.AddExtension(appsExtension, map[string]any{"mimeTypes": []string{appMIMEType}})
	server := mcp.NewServer(
		&mcp.Implementation{Name: "compound-docs", Title: "Compound Docs", Version: version},
		&mcp.ServerOptions{
			Instructions: instructions,
			Logger:       h.logger,
			Capabilities: capabilities,
		},
	)
	server.AddReceivingMiddleware(reportErrors(h.logger))
	for _, tool := range h.tools() {
		server.AddTool(tool.Tool, h.answering(tool))
	}
	server.AddResourceTemplate(pageTemplate(), h.readPage)
	return server
}
