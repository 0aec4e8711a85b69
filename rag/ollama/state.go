package ollama

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/modelhttp"
)

// State asks the server for its version and its models.
func (s *server) State(ctx context.Context, models []string, state *model.State) error {
	var answer struct {
		Version string `json:"version"`
	}
	err := s.Ask(ctx, "/api/version", nil, &answer, modelhttp.MaxAnswer)
	if err == nil && answer.Version == "" {
		err = s.BadResponse("it has no version")
	}
	if err != nil {
		return err
	}
	list, err := s.list(ctx)
	if err != nil {
		return err
	}
	state.Name = "Ollama " + answer.Version
	for _, m := range list {
		state.Models = append(state.Models, m.Name)
	}
	for _, name := range models {
		if _, has := digestOf(list, name); !has {
			state.Missing = append(state.Missing, name)
		}
	}
	if len(models) == 0 {
		return nil
	}
	var shown struct {
		Capabilities []string `json:"capabilities"` // older servers say none
	}
	err = s.Ask(ctx, "/api/show", map[string]any{"model": models[0]}, &shown, modelhttp.MaxAnswer)
	state.OnlyChat = err == nil && len(shown.Capabilities) > 0 && !slices.Contains(shown.Capabilities, "embedding")
	return nil
}
