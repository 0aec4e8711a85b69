package index

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/model"
)

// usedModel is the model that makes a tenant's vectors, with what a queue knows about the model.
type usedModel struct {
	model.Model

	id int32
	// calibrated says that the database has the model's calibration, and tidied that [Queue.tidy] has run. Only the
	// goroutine that holds the queue's turn sets them. It needs the lock mu to set calibrated, because Status reads it.
	calibrated, tidied bool
	// questionVectors and answerVectors are what [Queue.measure] has made so far, for [calibration.Pairs].
	questionVectors, answerVectors [][]float32
}

func (q *Queue) currentModel() *usedModel {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.model
}

// useModel asks the model server which model it has. If the model is new, useModel records it in the tenant's row.
func (q *Queue) useModel(ctx context.Context) (*usedModel, error) {
	current, err := q.index.embedder.EmbedModel(ctx)
	if err != nil {
		return nil, err
	}
	if used := q.currentModel(); used.Model == current {
		return used, nil
	}
	used, err := q.setModel(ctx, current)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.model = used
	q.refused = map[uuid.UUID]error{}
	return q.model, nil
}

// setModel records in the database which model the tenant uses. It inserts a row for the model only if it is new,
// because on Citus an insert needs every node.
func (q *Queue) setModel(ctx context.Context, current model.Model) (*usedModel, error) {
	return transact(ctx, q.index.db.Write, "set embedding model", func(queries *db.Queries) (*usedModel, error) {
		row, err := queries.EmbeddingModelFind(ctx, findParams(current))
		used := &usedModel{Model: current, id: row.ID, calibrated: row.OwnFirst != nil}
		if db.IsNoRows(err) {
			used.id, err = queries.EmbeddingModelUpsert(ctx, db.EmbeddingModelUpsertParams(findParams(current)))
		}
		if err != nil {
			return nil, err
		}
		_, err = queries.TenantSetEmbeddingModel(ctx, db.TenantSetEmbeddingModelParams{
			EmbeddingModelID: used.id, ProjectID: q.tenant.ProjectID, ID: q.tenant.ID, Generation: q.tenant.Generation,
		})
		if db.IsNoRows(err) {
			return nil, db.ErrTenantGone
		}
		return used, err
	})
}

func findParams(m model.Model) db.EmbeddingModelFindParams {
	return db.EmbeddingModelFindParams{
		Name: m.Name, Digest: m.Digest, Dimensions: int32(m.Dimensions), PromptVersion: int32(m.PromptVersion),
	}
}

// findModel returns a model's row, or the zero value if the database has no row.
func (x *Index) findModel(ctx context.Context, m model.Model) (db.EmbeddingModelFindRow, error) {
	row, err := db.ReadOne(ctx, x.db, "find what the model's cosines mean", (*db.Queries).EmbeddingModelFind, findParams(m))
	return row, ignoreNoRows(err)
}

// Calibration returns what the model's cosines mean, and false if they were not yet measured in this database.
func (x *Index) Calibration(ctx context.Context, m model.Model) (calibration.Calibration, bool, error) {
	row, err := x.findModel(ctx, m)
	if err != nil || row.OwnFirst == nil {
		return calibration.Calibration{}, false, err
	}
	return calibration.Calibration{
		Matched: *row.Matched, Unmatched: *row.Unmatched, Variance: *row.Variance, OwnFirst: *row.OwnFirst,
	}, true, nil
}

// calibrate measures what the model's cosines mean, if the database does not say it yet. Hybrid searches use only the
// vectors of a measured model. So [Queue.step] calls calibrate before it embeds more than fewPassages passages.
func (q *Queue) calibrate(ctx context.Context, used *usedModel) error {
	if used.calibrated {
		return nil
	}
	_, known, err := q.index.Calibration(ctx, used.Model)
	if err != nil {
		return err
	}
	if !known {
		if err := q.measure(ctx, used); err != nil {
			return err
		}
	}
	q.mu.Lock()
	used.calibrated = true
	q.mu.Unlock()
	q.onChange()
	return nil
}

// measure embeds the shipped pairs of a question and its answer, and writes to the database what their cosines mean. If
// the model refuses one of these texts, the result is not usable.
func (q *Queue) measure(ctx context.Context, used *usedModel) error {
	x := q.index
	questions, answers := calibration.Pairs()
	err := q.embedTexts(ctx, used, &used.questionVectors, questions, x.embedder.EmbedAsQueries)
	if err != nil {
		return err
	}
	err = q.embedTexts(ctx, used, &used.answerVectors, answers, x.embedder.Embed)
	if err != nil {
		return err
	}
	var measured calibration.Calibration
	if !slices.ContainsFunc(slices.Concat(used.questionVectors, used.answerVectors), func(v []float32) bool { return v == nil }) {
		measured = calibration.Measure(used.questionVectors, used.answerVectors)
	}
	x.logger.DebugContext(ctx, "embedding model measured", "model", used.Name, "matched", measured.Matched,
		"unmatched", measured.Unmatched, "variance", measured.Variance, "own_first", measured.OwnFirst)
	return x.db.Write(ctx, "write what the model's cosines mean", func(queries *db.Queries) error {
		return queries.EmbeddingModelCalibrate(ctx, db.EmbeddingModelCalibrateParams{
			ID: used.id, Matched: measured.Matched, Unmatched: measured.Unmatched,
			Variance: measured.Variance, OwnFirst: measured.OwnFirst,
		})
	})
}

// embedTexts appends the missing vectors of the texts to vectors. A text that the model refuses has the vector nil. The
// batches are as small as batches of passages, so that a search does not wait longer for the model.
func (q *Queue) embedTexts(
	ctx context.Context, used *usedModel, vectors *[][]float32, texts []string,
	embed func(ctx context.Context, texts []string) ([]model.Embedding, error),
) error {
	for len(*vectors) < len(texts) {
		rest := texts[len(*vectors):]
		embeddings, err := q.timed(ctx, rest[:min(q.batch, len(rest))], embed)
		if err != nil {
			return err
		}
		for _, embedding := range embeddings {
			if embedding.Err == nil && embedding.Digest != used.Digest {
				return model.ErrModelReplaced
			}
			*vectors = append(*vectors, embedding.Vector)
		}
	}
	return nil
}
