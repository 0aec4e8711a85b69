package tools

import (
	"cmp"
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

// ActivateProjectInput has the parameters of activate_project.
type ActivateProjectInput struct {
	ConfigPath string `json:"config_path" jsonschema:"Absolute path to .csharp-compounding-docs/config.json."`
	BranchName string `json:"branch_name" jsonschema:"Current git branch name, as git branch --show-current prints it."`
}

// ActivateProjectOutput is the answer of activate_project.
type ActivateProjectOutput struct {
	Status      string               `json:"status"`
	ProjectName string               `json:"project_name"`
	BranchName  string               `json:"branch_name"`
	PathHash    string               `json:"path_hash"`
	Root        string               `json:"root"`
	DocTypes    []docTypeCountOutput `json:"doc_types"`
	TotalDocs   int                  `json:"total_docs"`
	Index       *IndexStatus         `json:"index,omitempty"`
}

type docTypeCountOutput struct {
	Name     string `json:"name"`
	DocCount int    `json:"doc_count"`
	Custom   bool   `json:"custom,omitempty"`
}

func activateProjectTool() Tool {
	return newTool(ofProject, (*Handler).ActivateProject, &mcp.Tool{
		Name:  "activate_project",
		Title: "Activate project",
		Description: "Make a repository the active project and bring its index up to date. Call it when a tool answers " +
			"PROJECT_NOT_ACTIVATED, or to change to another repository. " +
			"It returns when documents are found by their words; `index` says what is " +
			"still to be done.",
		Meta:        searchHint("choose the repository, after PROJECT_NOT_ACTIVATED"),
		Annotations: writesIndex(),
		InputSchema: inputSchema[ActivateProjectInput](map[string][]property{
			"config_path": {notEmpty, example("/home/user/my-project/.csharp-compounding-docs/config.json")},
			"branch_name": {notEmpty, example("main")},
		}),
		OutputSchema: outputSchema[ActivateProjectOutput](map[string][]property{"status": {oneOf("activated")}}),
	})
}

// ActivateProject makes a project the active one. It waits until the index has the text of all documents, but not
// longer than a call may take.
func (h *Handler) ActivateProject(ctx context.Context, in ActivateProjectInput) (ActivateProjectOutput, error) {
	active, err := h.workspace.Activate(ctx, in.ConfigPath, in.BranchName)
	if err != nil {
		return ActivateProjectOutput{}, err
	}
	active.WaitForAnswer(ctx, func(s workspace.IndexStatus) {
		if s.Total > 0 { // 0 until the number of changed files is known
			embedded := max(0, s.Passages-s.Embedding)
			reportProgress(ctx, Progress{
				Done: s.Done + embedded, Total: s.Total + s.Passages,
				Message: fmt.Sprintf("indexed %d of %d changed files, embedded %d of %d passages", s.Done, s.Total, embedded, s.Passages),
			})
		}
	})
	return h.activated(ctx, active)
}

// Sync waits until the index holds the whole project with its vectors, and returns the answer of activate_project. An
// error can come with an answer. The answer is nil only if the project cannot be activated.
func (h *Handler) Sync(ctx context.Context, progress func(workspace.IndexStatus)) (*ActivateProjectOutput, error) {
	active, err := h.workspace.Sync(ctx, progress)
	if active == nil {
		return nil, err
	}
	answer, answerErr := h.activated(ctx, active)
	return &answer, cmp.Or(err, answerErr)
}

// activated returns the answer of activate_project for the active project.
func (h *Handler) activated(ctx context.Context, active *workspace.Project) (ActivateProjectOutput, error) {
	docTypes, err := active.DocTypes(ctx)
	if err != nil {
		return ActivateProjectOutput{}, err
	}
	out := ActivateProjectOutput{
		Status: "activated", ProjectName: active.Tenant.Key.Project, BranchName: active.Tenant.Key.Branch,
		PathHash: active.Tenant.Key.PathHash, Root: wirePath(active.Definition.Root),
		DocTypes: make([]docTypeCountOutput, 0, len(docTypes)), Index: statusOf(active, active.Status(), 0),
	}
	for _, docType := range docTypes {
		out.DocTypes = append(out.DocTypes, docTypeCountOutput{
			Name: docType.Name, DocCount: docType.Documents, Custom: docType.Custom,
		})
		out.TotalDocs += docType.Documents
	}
	return out, nil
}
