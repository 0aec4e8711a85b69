package tools

import (
	"bytes"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/docset/page"
)

const (
	// appsExtension is the MCP extension for tools with a page, which clients show to the user.
	appsExtension = "io.modelcontextprotocol/ui"
	appMIMEType   = "text/html;profile=mcp-app"
	pageURI       = "ui://compound-docs/page"
)

// pageTemplate declares the page as a resource template, so that resources/list omits it: clients pass that list to the
// model. Clients find the page by the _meta of list_doc_types.
func pageTemplate() *mcp.ResourceTemplate {
	return &mcp.ResourceTemplate{
		Name: "page", Title: "Knowledge page", URITemplate: pageURI, MIMEType: appMIMEType,
		Description: "The active project's documents as a page to search and read, for clients that show MCP Apps. " +
			"It is for people, and large: do not read it into a conversation.",
	}
}

func (h *Handler) readPage(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	ctx, cancel := context.WithTimeout(ctx, longestStart)
	defer cancel()
	if ask := h.followRoots(ctx, request.Session, request.ClientCapabilities(), request.Params.InputResponses); ask != nil {
		return &mcp.ReadResourceResult{InputRequests: ask}, nil
	}
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	var written bytes.Buffer
	if err := page.Write(ctx, &written, active.Definition, h.recalls); err != nil {
		return nil, protocolError(err)
	}
	return &mcp.ReadResourceResult{Cacheable: mcp.Cacheable{CacheScope: "private"}, Contents: []*mcp.ResourceContents{{
		URI: request.Params.URI, MIMEType: appMIMEType, Text: written.String(),
		Meta: mcp.Meta{"ui": map[string]any{"prefersBorder": true}},
	}}}, nil
}
