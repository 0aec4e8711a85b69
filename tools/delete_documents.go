package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/index"
)

type deleteDocumentsInput struct {
	ProjectName string  `json:"project_name" jsonschema:"Project identifier."`
	BranchName  *string `json:"branch_name,omitempty" jsonschema:"Only this branch. Default: all branches."`
	PathHash    *string `json:"path_hash,omitempty" jsonschema:"Only the checkout with this path hash. Default: all checkouts."`
	DryRun      *bool   `json:"dry_run,omitempty" jsonschema:"Count what would be deleted, and delete nothing."`
}

type deleteDocumentsOutput struct {
	Status            string  `json:"status"`
	DeletedCount      *int    `json:"deleted_count,omitempty"`
	DeletedChunks     *int    `json:"deleted_chunks,omitempty"`
	WouldDeleteCount  *int    `json:"would_delete_count,omitempty" jsonschema:"In a dry run."`
	WouldDeleteChunks *int    `json:"would_delete_chunks,omitempty" jsonschema:"In a dry run."`
	ProjectName       string  `json:"project_name"`
	BranchName        *string `json:"branch_name"`
	PathHash          *string `json:"path_hash"`
	DryRun            bool    `json:"dry_run"`
}

func deleteDocumentsTool() Tool {
	return newProjectTool((*handler).deleteDocuments, &mcp.Tool{
		Name:  "delete_documents",
		Title: "Delete from the index",
		Description: "Delete a project's own documents from the index, by branch or checkout: for branches and worktrees that " +
			"are gone. Files on disk and external docs stay. A checkout that is open in Claude Code is deactivated in every " +
			"window and stays out of the index until activate_project brings it back, for all of them. A dry_run " +
			"activates and indexes nothing. Call it with dry_run=true first, show the counts, and delete " +
			"only when the user agrees. Not for deleting a document: delete its file.",
		Meta: searchHint("remove a project or branch from the index"),
		Annotations: &mcp.ToolAnnotations{
			IdempotentHint: true, DestructiveHint: new(true), OpenWorldHint: new(false),
		},
		InputSchema: inputSchema[deleteDocumentsInput](map[string][]property{
			"project_name": {notEmpty, projectName, example("my-project")},
			"branch_name":  {notNull, notEmpty, example("feature/old-branch")},
			"path_hash":    {notNull, notEmpty, example("a1b2c3d4e5f60718")},
			"dry_run":      {withDefault(false)},
		}),
		OutputSchema: outputSchema[deleteDocumentsOutput](map[string][]property{"status": {oneOf("deleted", "preview")}}),
	})
}

func (h *handler) deleteDocuments(
	ctx context.Context, _ *mcp.CallToolRequest, in deleteDocumentsInput,
) (*mcp.CallToolResult, deleteDocumentsOutput, error) {
	selection := index.Selection{Project: in.ProjectName, Branch: in.BranchName, PathHash: in.PathHash}
	out := deleteDocumentsOutput{
		ProjectName: in.ProjectName, BranchName: in.BranchName, PathHash: in.PathHash, DryRun: valueOr(in.DryRun, false),
	}
	if out.DryRun {
		contents, err := h.workspace.Contents(ctx, selection)
		out.Status, out.WouldDeleteCount, out.WouldDeleteChunks = "preview", &contents.Documents, &contents.Chunks
		return nil, out, err
	}
	contents, err := h.workspace.Delete(ctx, selection)
	out.Status, out.DeletedCount, out.DeletedChunks = "deleted", &contents.Documents, &contents.Chunks
	return nil, out, err
}
