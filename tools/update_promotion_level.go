package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/catalog"
)

// UpdatePromotionLevelInput has the parameters of update_promotion_level.
type UpdatePromotionLevelInput struct {
	DocumentPath   string        `json:"document_path" jsonschema:"Path of the document, relative to the documents' folder or to the repository."`
	PromotionLevel catalog.Level `json:"promotion_level" jsonschema:"New level."`
}

// UpdatePromotionLevelOutput is the answer of update_promotion_level.
type UpdatePromotionLevelOutput struct {
	Status        string        `json:"status"`
	DocumentPath  string        `json:"document_path"`
	PreviousLevel catalog.Level `json:"previous_level"`
	NewLevel      catalog.Level `json:"new_level"`
}

func updatePromotionLevelTool() Tool {
	return newTool(ofProject, (*Handler).UpdatePromotionLevel, &mcp.Tool{
		Name:  "update_promotion_level",
		Title: "Change promotion level",
		Description: "Set how prominent a document is: `important` ranks it higher, `critical` has it considered by " +
			"every rag_query, `standard` undoes both. It changes the promotion_level line of the file's front matter and " +
			"nothing else. Use it when the user says that a document matters more or less; external docs have no level.",
		Meta:        searchHint("make a document important or critical"),
		Annotations: writesIndex(),
		InputSchema: inputSchema[UpdatePromotionLevelInput](map[string][]property{
			"document_path":   {notEmpty, example("problems/n-plus-one-query-20250120.md")},
			"promotion_level": {levels, example("critical")},
		}),
		OutputSchema: outputSchema[UpdatePromotionLevelOutput](map[string][]property{"status": {oneOf("updated")}}),
	})
}

// UpdatePromotionLevel sets the level of a document, in its file and in the index.
func (h *Handler) UpdatePromotionLevel(ctx context.Context, in UpdatePromotionLevelInput) (UpdatePromotionLevelOutput, error) {
	active, err := h.workspace.Active(ctx)
	if err != nil {
		return UpdatePromotionLevelOutput{}, err
	}
	path, previous, err := active.Promote(ctx, in.DocumentPath, in.PromotionLevel)
	if err != nil {
		return UpdatePromotionLevelOutput{}, err
	}
	return UpdatePromotionLevelOutput{
		Status: "updated", DocumentPath: path, PreviousLevel: previous, NewLevel: in.PromotionLevel,
	}, nil
}
