package index

import (
	"context"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// Calibration returns what the model's cosines mean; known is false while no queue has
// measured it in this database.
func (x *Index) Calibration(ctx context.Context, model ollama.Model) (measured calibration.Calibration, known bool, err error) {
	err = x.db.Read(ctx, "find what the model's cosines mean", func(q *db.Queries) error {
		id, err := q.EmbeddingModelFind(ctx, findParams(model))
		if err != nil {
			return err
		}
		row, err := q.EmbeddingModelCalibration(ctx, db.EmbeddingModelCalibrationParams{ID: id})
		measured = calibration.Calibration(row)
		return err
	})
	if db.IsNoRows(err) {
		return measured, false, nil
	}
	return measured, err == nil, err
}

// calibrate measures what the model's cosines mean, unless the database has it. Searches
// by meaning need it, so it comes before the passages.
func (q *Queue) calibrate(ctx context.Context, model usedModel) error {
	q.mu.Lock()
	calibrated := q.calibrated == model.id
	q.mu.Unlock()
	if calibrated {
		return nil
	}
	_, known, err := q.index.Calibration(ctx, model.Model)
	if err == nil && !known {
		err = q.measure(ctx, model)
	}
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calibrated = model.id
	return nil
}

// measure makes the vectors of the shipped questions and answers, and writes what follows
// from them. A model that refuses one of these texts is of no use.
func (q *Queue) measure(ctx context.Context, model usedModel) error {
	x := q.index
	questions, answers := calibration.Pairs()
	q.setMeasuring(len(questions) + len(answers))
	defer q.setMeasuring(0)
	asked, err := q.embedTexts(ctx, model, questions, len(answers), x.embedder.EmbedAsQueries)
	if err != nil {
		return err
	}
	answered, err := q.embedTexts(ctx, model, answers, 0, x.embedder.Embed)
	if err != nil {
		return err
	}
	var measured calibration.Calibration
	if len(asked) == len(questions) && len(answered) == len(answers) {
		measured = calibration.Measure(asked, answered)
	}
	x.logger.DebugContext(ctx, "embedding model measured", "model", model.Name, "matched", measured.Matched,
		"unmatched", measured.Unmatched, "variance", measured.Variance, "own_first", measured.OwnFirst)
	return x.db.Write(ctx, "write what the model's cosines mean", func(queries *db.Queries) error {
		return queries.EmbeddingModelCalibrate(ctx, db.EmbeddingModelCalibrateParams{
			ID: model.id, Matched: measured.Matched, Unmatched: measured.Unmatched,
			Variance: measured.Variance, OwnFirst: measured.OwnFirst,
		})
	})
}

// embedTexts embeds texts in batches of the usual size, so that queries wait no longer
// than for passages. It leaves out those that the model refuses. more texts follow.
func (q *Queue) embedTexts(
	ctx context.Context, model usedModel, texts []string, more int,
	embed func(ctx context.Context, texts []string) ([]ollama.Embedding, error),
) (vectors [][]float32, err error) {
	rest := make([]unembedded, len(texts))
	for i, text := range texts {
		rest[i].Content = text
	}
	for len(rest) > 0 {
		n := q.index.pace.batch(rest)
		batch := texts[len(texts)-len(rest):][:n]
		began := time.Now()
		embeddings, err := embed(ctx, batch)
		if err != nil {
			return nil, err
		}
		q.index.pace.note(n, len(strings.Join(batch, "")), time.Since(began))
		rest = rest[n:]
		q.setMeasuring(len(rest) + more)
		for _, embedding := range embeddings {
			switch {
			case embedding.Err != nil:
			case embedding.Digest != model.Digest:
				return nil, ollama.ErrModelReplaced
			default:
				vectors = append(vectors, embedding.Vector)
			}
		}
	}
	return vectors, nil
}

// setMeasuring says how many texts are left of those that the model is measured with.
func (q *Queue) setMeasuring(texts int) {
	q.mu.Lock()
	q.measuring = texts
	q.mu.Unlock()
	q.onChange()
}
