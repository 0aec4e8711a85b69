package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// batch is a set of documents on their way into the index.
type batch struct {
	indexer   *Indexer
	model     ollama.Model
	documents []*prepared
	failures  []document.Failure
	// refused are those of the failures that lie in the file as it is.
	refused map[string]document.Stamp
	// vectors are the embeddings made for this batch.
	vectors map[uuid.UUID][]float32
	// forceEmbed is set if every passage is to be embedded, even if the index has it.
	forceEmbed bool
}

func (b *batch) fail(path string, err error) {
	b.failures = append(b.failures, document.Failure{Path: path, Err: err})
}

// refuseFile notes a file that cannot be a document for a reason that lies in it.
func (b *batch) refuseFile(file document.File, err error) {
	b.fail(file.Path, err)
	b.refused[file.Path] = file.Stamp()
}

// drop takes a document out of the batch for a reason that lies in it.
func (b *batch) drop(doc *prepared, err error) {
	b.refuseFile(doc.file, err)
	b.leaveOut(doc)
}

func (b *batch) leaveOut(doc *prepared) {
	b.documents = slices.DeleteFunc(b.documents, func(other *prepared) bool { return other == doc })
}

// run embeds and writes. If a passage of the index that was counted on is swept
// in between, it does so again, counting on none.
func (b *batch) run(ctx context.Context) error {
	err := b.try(ctx)
	if errors.Is(err, errPassageGone) {
		b.forceEmbed = true
		err = b.try(ctx)
	}
	return err
}

func (b *batch) try(ctx context.Context) error {
	if err := b.embed(ctx); err != nil {
		return err
	}
	return b.write(ctx)
}

// embed makes the vectors of the passages that the index lacks. A passage that
// proves too long for the model is halved until its parts fit.
func (b *batch) embed(ctx context.Context) error {
	for len(b.documents) > 0 {
		missing, err := b.missing(ctx)
		if err != nil || len(missing) == 0 {
			return err
		}
		texts := make([]string, len(missing))
		for i, p := range missing {
			texts[i] = p.text()
		}
		embeddings, err := b.indexer.index.embedder.Embed(ctx, texts)
		if err != nil {
			return fmt.Errorf("embed passages: %w", err)
		}
		for i, embedding := range embeddings {
			if embedding.Err != nil {
				b.splitOrDrop(missing[i].hash, embedding.Err)
				continue
			}
			if embedding.Digest != b.model.Digest {
				return rag.ErrModelReplaced()
			}
			b.vectors[missing[i].hash] = embedding.Vector
		}
	}
	return nil
}

// missing returns the passages of the batch, each once, that have no vector in
// the batch or, unless all are embedded again, in the index.
func (b *batch) missing(ctx context.Context) ([]passage, error) {
	wanted := map[uuid.UUID]passage{}
	for _, doc := range b.documents {
		for _, p := range doc.passages {
			if b.vectors[p.hash] == nil {
				wanted[p.hash] = p
			}
		}
	}
	if err := b.leaveOutExisting(ctx, wanted); err != nil {
		return nil, err
	}
	missing := make([]passage, 0, len(wanted))
	for _, doc := range b.documents {
		for _, p := range doc.passages {
			if _, ok := wanted[p.hash]; ok {
				missing = append(missing, p)
				delete(wanted, p.hash)
			}
		}
	}
	return missing, nil
}

func (b *batch) leaveOutExisting(ctx context.Context, wanted map[uuid.UUID]passage) error {
	if b.forceEmbed {
		return nil
	}
	hashes := slices.Collect(maps.Keys(wanted))
	return b.indexer.index.db.Read(ctx, "look up passages", func(q *db.Queries) error {
		existing, err := q.PassageExisting(ctx, db.PassageExistingParams{
			Collection: b.indexer.collection, ProjectID: b.indexer.tenant.ProjectID, Hashes: hashes,
		})
		for _, hash := range existing {
			delete(wanted, hash)
		}
		return err
	})
}

// splitOrDrop deals with a passage that cannot be embedded: halved if it is too
// long, else its documents are dropped.
func (b *batch) splitOrDrop(hash uuid.UUID, reason error) {
	for _, doc := range slices.Clone(b.documents) {
		for {
			i := slices.IndexFunc(doc.passages, func(p passage) bool { return p.hash == hash })
			if i < 0 {
				break
			}
			first, second, ok := doc.passages[i].Halve()
			if !ok || !errors.Is(reason, ollama.ErrInputTooLong) {
				b.drop(doc, fmt.Errorf("embed lines %d to %d: %w", doc.passages[i].StartLine, doc.passages[i].EndLine, reason))
				break
			}
			doc.passages = slices.Replace(doc.passages, i, i+1,
				newPassage(first, doc.title, b.indexer.collection, b.model),
				newPassage(second, doc.title, b.indexer.collection, b.model))
		}
	}
}
