package tools

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/index"
)

// DeleteDocumentsInput has the parameters of delete_documents.
type DeleteDocumentsInput struct {
	ProjectName string  `json:"project_name" jsonschema:"Project identifier."`
	BranchName  *string `json:"branch_name,omitempty" jsonschema:"Only this branch. Default: all branches."`
	PathHash    *string `json:"path_hash,omitempty" jsonschema:"Only this checkout. Default: all checkouts."`
	DryRun      bool    `json:"dry_run,omitempty" jsonschema:"Count what would be deleted, and delete nothing."`
}

// DeleteDocumentsOutput is the answer of delete_documents. Only one pair of counts is set: would_delete_* in a dry run,
// deleted_* otherwise.
type DeleteDocumentsOutput struct {
	Status            string  `json:"status"`
	DeletedCount      *int    `json:"deleted_count,omitempty"`
	DeletedChunks     *int    `json:"deleted_chunks,omitempty"`
	WouldDeleteCount  *int    `json:"would_delete_count,omitempty"`
	WouldDeleteChunks *int    `json:"would_delete_chunks,omitempty"`
	ProjectName       string  `json:"project_name"`
	BranchName        *string `json:"branch_name"`
	PathHash          *string `json:"path_hash"`
	DryRun            bool    `json:"dry_run"`
	Message           string  `json:"message,omitempty"`
}

func deleteDocumentsTool() Tool {
	return newTool(ofProject, (*Handler).DeleteDocuments, &mcp.Tool{
		Name:  "delete_documents",
		Title: "Delete from the index",
		Description: "Delete a project's own documents from the index, by branch or checkout: for branches and worktrees that " +
			"are gone. Files on disk and external docs stay. A checkout that is open is deactivated in every " +
			"window until activate_project brings it back. Call it with dry_run=true first, show the counts, and delete " +
			"only when the user agrees. Not for deleting a document: delete its file.",
		Meta: searchHint("remove a project or branch from the index"),
		Annotations: &mcp.ToolAnnotations{
			IdempotentHint: true, DestructiveHint: new(true), OpenWorldHint: new(false),
		},
		InputSchema: inputSchema[DeleteDocumentsInput](map[string][]property{
			"project_name": {notEmpty, projectName, example("my-project")},
			"branch_name":  {notNull, notEmpty, example("feature/old-branch")},
			"path_hash":    {notNull, notEmpty, example("a1b2c3d4e5f60718")},
			"dry_run":      {withDefault(false)},
		}),
		OutputSchema: outputSchema[DeleteDocumentsOutput](map[string][]property{"status": {oneOf("deleted", "preview")}}),
	})
}

// DeleteDocuments removes documents from the index. In a dry run it only counts them.
func (h *Handler) DeleteDocuments(ctx context.Context, in DeleteDocumentsInput) (DeleteDocumentsOutput, error) {
	selection := index.Selection{Project: in.ProjectName, Branch: in.BranchName}
	if in.PathHash != nil {
		selection.PathHash = new(strings.ToLower(*in.PathHash))
	}
	out := DeleteDocumentsOutput{
		ProjectName: in.ProjectName, BranchName: in.BranchName, PathHash: in.PathHash, DryRun: in.DryRun,
	}
	act := h.workspace.Delete
	if in.DryRun {
		act = h.workspace.Contents
	}
	contents, err := act(ctx, selection)
	if contents.Documents == 0 { // a name may be mistyped
		out.Message = "the index has no document of this project, branch and checkout; activate_project answers the names of a folder's"
	}
	if in.DryRun {
		out.Status, out.WouldDeleteCount, out.WouldDeleteChunks = "preview", &contents.Documents, &contents.Chunks
	} else {
		out.Status, out.DeletedCount, out.DeletedChunks = "deleted", &contents.Documents, &contents.Chunks
	}
	return out, err
}
