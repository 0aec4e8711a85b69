package index

import (
	"context"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/model"
)

// usedModel is the model that makes a tenant's vectors, since a queue has found it.
type usedModel struct {
	model.Model

	id int32
	// calibrated is set once the database knows what its cosines mean, and tidied once the vectors of other
	// models were deleted behind its last one. Only the goroutine that has the queue's turn uses both.
	calibrated, tidied bool
}

// useModel makes the embedding model that the server has the tenant's.
func (q *Queue) useModel(ctx context.Context) (*usedModel, error) {
	current, err := q.index.embedder.EmbedModel(ctx)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	used := q.model
	q.mu.Unlock()
	if used.Model == current {
		return used, nil
	}
	id, err := q.setModel(ctx, current)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.model = &usedModel{Model: current, id: id}
	q.refused = map[uuid.UUID]error{}
	return q.model, nil
}

// setModel makes a model the tenant's, and returns its id. Only one that the database does
// not know is written there: on Citus that needs every node.
func (q *Queue) setModel(ctx context.Context, current model.Model) (id int32, err error) {
	err = q.index.db.Write(ctx, "set embedding model", func(queries *db.Queries) error {
		row, err := queries.EmbeddingModelFind(ctx, findParams(current))
		id = row.ID
		if db.IsNoRows(err) {
			id, err = queries.EmbeddingModelUpsert(ctx, db.EmbeddingModelUpsertParams(findParams(current)))
		}
		if err != nil {
			return err
		}
		_, err = queries.TenantSetEmbeddingModel(ctx, db.TenantSetEmbeddingModelParams{
			EmbeddingModelID: id, ProjectID: q.tenant.ProjectID, ID: q.tenant.ID, Generation: q.tenant.Generation,
		})
		if db.IsNoRows(err) {
			return db.ErrTenantGone
		}
		return err
	})
	return id, err
}

func findParams(model model.Model) db.EmbeddingModelFindParams {
	return db.EmbeddingModelFindParams{
		Name: model.Name, Digest: model.Digest, Dimensions: int32(model.Dimensions), PromptVersion: int32(model.PromptVersion),
	}
}

// deletedVectors is how many vectors one statement deletes.
const deletedVectors = 10_000

// deleteUnusedVectors deletes the vectors of models that no tenant of the project uses any more.
func (x *Index) deleteUnusedVectors(ctx context.Context, projectID int32) error {
	for more := true; more; {
		if err := x.db.Write(ctx, "delete vectors of a former model", func(q *db.Queries) error {
			deleted, err := q.EmbeddingDeleteUnused(ctx, db.EmbeddingDeleteUnusedParams{
				ProjectID: projectID, MaxEmbeddings: deletedVectors,
			})
			more = len(deleted) >= deletedVectors
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Calibration returns what the model's cosines mean; known is false while no queue has
// measured it in this database.
func (x *Index) Calibration(ctx context.Context, model model.Model) (measured calibration.Calibration, known bool, err error) {
	row, err := db.ReadOne(ctx, x.db, "find what the model's cosines mean", (*db.Queries).EmbeddingModelFind, findParams(model))
	if err != nil || row.OwnFirst == nil {
		return measured, false, exceptNoRows(err)
	}
	return calibration.Calibration{
		Matched: *row.Matched, Unmatched: *row.Unmatched, Variance: *row.Variance, OwnFirst: *row.OwnFirst,
	}, true, nil
}

// ModelDigests returns the digests of the builds of a model that have made vectors, the earliest first.
func (x *Index) ModelDigests(ctx context.Context, name string) ([]string, error) {
	return db.ReadOne(ctx, x.db, "list the builds of a model", (*db.Queries).EmbeddingModelDigests,
		db.EmbeddingModelDigestsParams{Name: name})
}

// calibrate measures what the model's cosines mean, unless the database has it. Searches
// by meaning need it, so it comes before the passages.
func (q *Queue) calibrate(ctx context.Context, model *usedModel) error {
	if model.calibrated {
		return nil
	}
	_, known, err := q.index.Calibration(ctx, model.Model)
	if err == nil && !known {
		err = q.measure(ctx, model)
	}
	model.calibrated = err == nil
	return err
}

// measure makes the vectors of the shipped questions and answers, and writes what follows
// from them. A model that refuses one of these texts is of no use.
func (q *Queue) measure(ctx context.Context, model *usedModel) error {
	x := q.index
	questions, answers := calibration.Pairs()
	asked, err := q.embedTexts(ctx, model, questions, x.embedder.EmbedAsQueries)
	if err != nil {
		return err
	}
	answered, err := q.embedTexts(ctx, model, answers, x.embedder.Embed)
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
// than for passages. It leaves out those that the model refuses.
func (q *Queue) embedTexts(
	ctx context.Context, used *usedModel, texts []string,
	embed func(ctx context.Context, texts []string) ([]model.Embedding, error),
) (vectors [][]float32, err error) {
	for len(texts) > 0 {
		n := min(q.batch, len(texts))
		embeddings, err := q.timed(ctx, texts[:n], embed)
		if err != nil {
			return nil, err
		}
		texts = texts[n:]
		for _, embedding := range embeddings {
			switch {
			case embedding.Err != nil:
			case embedding.Digest != used.Digest:
				return nil, model.ErrModelReplaced
			default:
				vectors = append(vectors, embedding.Vector)
			}
		}
	}
	return vectors, nil
}
