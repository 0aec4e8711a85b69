package ragtest

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// IndexURL is [testenv.IndexURL] of an index that knows what the cosines of the fake's embedding model
// mean. A server measures that with 120 texts, many more than most tests embed.
func IndexURL(t testing.TB) string {
	t.Helper()
	return testenv.PreparedURL(t, measure)
}

// measure writes what a server would.
func measure(ctx context.Context, databaseURL string) error {
	fake := fakeollama.New()
	defer fake.Close()
	models, err := ollama.New(model.Config{Host: fake.URL()})
	if err != nil {
		return fmt.Errorf("measure the fake's model: %w", err)
	}
	defer models.Close()
	model, err := models.EmbedModel(ctx)
	if err != nil {
		return fmt.Errorf("measure the fake's model: %w", err)
	}
	questions, answers := calibration.Pairs()
	measured := calibration.Measure(vectors(questions, model.Dimensions), vectors(answers, model.Dimensions))

	database := db.NewDatabase(testenv.Source(databaseURL), slog.New(slog.DiscardHandler))
	defer database.Close()
	return database.Write(ctx, "write what the model's cosines mean", func(q *db.Queries) error {
		id, err := q.EmbeddingModelUpsert(ctx, db.EmbeddingModelUpsertParams{
			Name: model.Name, Digest: model.Digest,
			Dimensions: int32(model.Dimensions), PromptVersion: int32(model.PromptVersion), //nolint:gosec // small numbers
		})
		if err != nil {
			return err
		}
		return q.EmbeddingModelCalibrate(ctx, db.EmbeddingModelCalibrateParams{
			ID: id, Matched: measured.Matched, Unmatched: measured.Unmatched,
			Variance: measured.Variance, OwnFirst: measured.OwnFirst,
		})
	})
}

// vectors returns the fake's vectors of texts.
func vectors(texts []string, dimensions int) [][]float32 {
	made := make([][]float32, len(texts))
	for i, text := range texts {
		made[i] = fakeollama.Vector(text, dimensions)
	}
	return made
}
