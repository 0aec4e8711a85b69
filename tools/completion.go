package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

// maxCompletions is the most values that the protocol allows in a completion.
const maxCompletions = 100

// complete completes the path of a document. Without an active project, and for an argument of a
// prompt, the completion is empty; that is not an error.
func (h *Handler) complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	none := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	reference, argument := request.Params.Ref, request.Params.Argument
	switch {
	case reference == nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "ref is missing; give what the completion is for"}
	case slices.Contains([]string{recallPrompt().Name, capturePrompt().Name}, reference.Name):
		return none, nil
	case reference.URI != documentTemplate().URITemplate:
		return nil, &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no completion for %q", reference.Name+reference.URI),
		}
	case argument.Name != "path" || strings.ContainsRune(argument.Value, 0): // neither PostgreSQL nor a path can hold one
		return none, nil
	}
	active, err := h.workspace.Active(ctx)
	if err != nil && apierror.AsError(err).Code == apierror.ProjectNotActivated {
		return none, nil
	}
	if err != nil {
		return nil, protocolError(err)
	}
	paths, total, err := active.Paths(ctx, strings.TrimPrefix(argument.Value, "./"), maxCompletions)
	if err != nil {
		return nil, protocolError(err)
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
		Values: paths, Total: total, HasMore: total > len(paths),
	}}, nil
}
