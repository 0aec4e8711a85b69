package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// maxCompletions is the most values that the protocol allows in a completion.
const maxCompletions = 100

// complete completes the path of a document and the arguments of prompts. Without an
// active project the completion is empty; that is not an error.
func (h *Handler) complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	reference, argument := request.Params.Ref, request.Params.Argument
	if reference == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "ref is missing; give what the completion is for"}
	}
	switch {
	case reference.Type == "ref/resource" && reference.URI == documentTemplate().URITemplate:
		if argument.Name == "path" {
			return h.completePath(ctx, argument.Value)
		}
	case reference.Type == "ref/prompt" && reference.Name == recallPrompt().Name:
	case reference.Type == "ref/prompt" && reference.Name == capturePrompt().Name:
		switch argument.Name {
		case "doc_type":
			return h.completeDocType(ctx, argument.Value)
		case "promotion_level":
			levels := make([]string, 0, len(catalog.Levels()))
			for _, level := range catalog.Levels() {
				levels = append(levels, string(level))
			}
			return completion(levels, argument.Value), nil
		}
	default:
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("there is no %s %q", strings.TrimPrefix(reference.Type, "ref/"), reference.Name+reference.URI),
		}
	}
	return completion(nil, ""), nil
}

func (h *Handler) completePath(ctx context.Context, part string) (*mcp.CompleteResult, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return completionError(err)
	}
	// Neither PostgreSQL nor a path can hold a NUL character.
	if strings.ContainsRune(part, 0) {
		return completion(nil, ""), nil
	}
	paths, total, err := active.Paths(ctx, strings.TrimPrefix(part, "./"), maxCompletions)
	if err != nil {
		return completionError(err)
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
		Values: paths, Total: total, HasMore: total > len(paths),
	}}, nil
}

func (h *Handler) completeDocType(ctx context.Context, part string) (*mcp.CompleteResult, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return completionError(err)
	}
	names := []string{}
	for _, docType := range active.Definition.DocTypes() {
		names = append(names, docType.Name)
	}
	return completion(names, part), nil
}

func completionError(err error) (*mcp.CompleteResult, error) {
	if apierror.AsError(err).Code == apierror.ProjectNotActivated {
		return completion(nil, ""), nil
	}
	return nil, protocolError(err)
}

// completion returns the values that begin with part, then those that contain it.
func completion(values []string, part string) *mcp.CompleteResult {
	part = strings.ToLower(part)
	matching := []string{}
	for _, value := range values {
		if strings.HasPrefix(value, part) {
			matching = append(matching, value)
		}
	}
	for _, value := range values {
		if strings.Contains(value, part) && !slices.Contains(matching, value) {
			matching = append(matching, value)
		}
	}
	total := len(matching)
	matching = matching[:min(total, maxCompletions)]
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
		Values: matching, Total: total, HasMore: total > len(matching),
	}}
}
