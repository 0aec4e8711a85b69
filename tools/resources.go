package tools

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// documentURI begins the URI of every document. The document's path follows.
const documentURI = "cdocs://docs/"

// documentTemplate declares the documents as resources. resources/list stays empty:
// clients load the whole list when they connect, before a project is active, and pass
// all of it to the model.
func documentTemplate() *mcp.ResourceTemplate {
	return &mcp.ResourceTemplate{
		Name:        "document",
		Title:       "Document",
		URITemplate: documentURI + "{+path}",
		MIMEType:    "text/markdown",
		Description: "A document of the active project, or of its external docs, as it is on disk. path is relative to the " +
			"repository, such as csharp-compounding-docs/problems/example-20260102.md.",
	}
}

func (h *Handler) readDocument(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if ask := h.followRoots(ctx, request.Session, request.ClientCapabilities(), request.Params.InputResponses); ask != nil {
		return &mcp.ReadResourceResult{InputRequests: ask}, nil
	}
	uri := request.Params.URI
	path, err := url.PathUnescape(strings.TrimPrefix(uri, documentURI))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	file, err := active.Read(path)
	if err != nil {
		if apierror.AsError(err).Code == apierror.DocumentNotFound {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		return nil, protocolError(err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: uri, MIMEType: "text/markdown", Text: bounded(string(file.Content), file.Path)},
	}}, nil
}

// maxResource is how many characters of a document a resource has at most: a client
// passes all of it to the model.
const maxResource = 60_000

// bounded returns the text, or its beginning and where to read the rest.
func bounded(text, path string) string {
	more := utf8.RuneCountInString(text) - maxResource
	if more <= 0 {
		return text
	}
	return fmt.Sprintf("%s\n\n[%d more characters are in the file: open %s to read them.]\n",
		markdown.CutRunes(text, maxResource), more, wirePath(path))
}
