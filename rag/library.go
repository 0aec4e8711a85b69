// Package rag is the index and what is asked of it: a document's way into the
// database, search, the link graph, and answers from a language model. It knows
// documents, passages and tenants; it must not know where files come from, when
// they change, or MCP.
package rag

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// Embedder turns text into vectors.
type Embedder interface {
	// Embed returns one embedding a text, in order. An error means that the
	// service as a whole failed; a text that cannot be embedded has its own.
	Embed(ctx context.Context, texts []string) ([]ollama.Embedding, error)
	// EmbedQuery returns the vector to search with; its Err is nil.
	EmbedQuery(ctx context.Context, query string) (ollama.Embedding, error)
	// EmbedModel identifies what makes the vectors, as it was a moment ago.
	EmbedModel(ctx context.Context) (ollama.Model, error)
	// FreshModel identifies what makes the vectors now.
	FreshModel(ctx context.Context) (ollama.Model, error)
}

// Generator writes an answer.
type Generator interface {
	Generate(ctx context.Context, prompt ollama.Prompt, onText func(text string)) (string, error)
	// ContextWindow is how many tokens prompt and answer may have together.
	ContextWindow(ctx context.Context) int
}

// Library is one database's index together with the models that fill and
// question it. Safe for concurrent use.
type Library struct {
	db        *db.Database
	embedder  Embedder
	generator Generator
	logger    *slog.Logger
	// writers are those who put documents into the index.
	writers *semaphore.Weighted
	// largeBatches lets one batch at a time that takes much memory be indexed.
	largeBatches *semaphore.Weighted
	routes       *routes
}

// NewLibrary returns a Library; nothing is connected yet.
func NewLibrary(database *db.Database, embedder Embedder, generator Generator, logger *slog.Logger) *Library {
	return &Library{
		db: database, embedder: embedder, generator: generator, logger: logger,
		writers: semaphore.NewWeighted(maxWriters), largeBatches: semaphore.NewWeighted(1), routes: newRoutes(),
	}
}

// TenantKey names one checkout on one branch.
type TenantKey struct {
	Project, Branch, PathHash string
}

// Tenant is a registered checkout. Every read and write of the index is inside
// one. Safe for concurrent use.
type Tenant struct {
	Key           TenantKey
	projectID, id int32
	// generation is of when it was registered; see [ErrTenantGone].
	generation int64

	mu    sync.Mutex
	links linkCache
	// cycles are the circles of links that were logged of the graph last read.
	cycles map[string]bool
}

// Tenant registers the checkout at root, or finds it, and notes that it is in use.
// One that was deleted from the index is to be filled again from here on.
func (l *Library) Tenant(ctx context.Context, key TenantKey, root string) (*Tenant, error) {
	tenant := &Tenant{Key: key}
	err := l.db.Write(ctx, "register tenant", func(q *db.Queries) error {
		projectID, err := q.ProjectUpsert(ctx, db.ProjectUpsertParams{Name: key.Project})
		if err != nil {
			return err
		}
		tenant.projectID = projectID
		row, err := q.TenantUpsert(ctx, db.TenantUpsertParams{
			ProjectID: projectID, BranchName: key.Branch, PathHash: key.PathHash, RepoRoot: root,
		})
		tenant.id, tenant.generation = row.ID, row.Generation
		return err
	})
	if err != nil {
		return nil, err
	}
	return tenant, nil
}

// CountByType returns how many documents each doc-type has in the scope.
func (l *Library) CountByType(ctx context.Context, scope Scope) (map[string]int, error) {
	counts := map[string]int{}
	err := l.db.Read(ctx, "count documents", func(q *db.Queries) error {
		rows, err := q.DocumentCountByType(ctx, db.DocumentCountByTypeParams{
			ProjectID: scope.Tenant.projectID, TenantID: scope.Tenant.id, Collection: scope.Collection,
		})
		for _, row := range rows {
			counts[row.DocType] = int(row.Documents)
		}
		return err
	})
	return counts, err
}

// readModel returns the embedding model if the tenant's vectors can be searched
// with it. Vectors of two models are not comparable, so a tenant of another model
// is an error until it is indexed again; one without vectors takes any. Nothing is
// written, and nothing is remembered: the model may change under a running
// server, and another process may index the tenant again.
func (l *Library) readModel(ctx context.Context, tenant *Tenant) (ollama.Model, error) {
	current, _, err := l.compareModel(ctx, tenant)
	return current, err
}

// registerModel is readModel for who is about to add vectors: a tenant that has
// none becomes one of the present model.
func (l *Library) registerModel(ctx context.Context, tenant *Tenant) (ollama.Model, error) {
	current, registered, err := l.compareModel(ctx, tenant)
	if err != nil || registered {
		return current, err
	}
	return current, l.db.Write(ctx, "set embedding model", func(q *db.Queries) error {
		return setModel(ctx, q, tenant, current, false)
	})
}

func (l *Library) compareModel(ctx context.Context, tenant *Tenant) (current ollama.Model, registered bool, err error) {
	if current, err = l.presentModel(ctx); err != nil {
		return ollama.Model{}, false, err
	}
	made, err := l.madeWith(ctx, tenant)
	if err != nil {
		return ollama.Model{}, false, err
	}
	if made != nil && *made != current {
		// Another process may have seen a change of the model before this one.
		if current, err = l.embedder.FreshModel(ctx); err != nil {
			return ollama.Model{}, false, fmt.Errorf("identify the embedding model: %w", err)
		}
		if *made != current {
			return ollama.Model{}, false, modelChanged(tenant, *made, current)
		}
	}
	return current, made != nil, nil
}

func (l *Library) presentModel(ctx context.Context) (ollama.Model, error) {
	model, err := l.embedder.EmbedModel(ctx)
	if err != nil {
		return ollama.Model{}, fmt.Errorf("identify the embedding model: %w", err)
	}
	return model, nil
}

// madeWith returns what made the tenant's vectors, and nil before the first.
func (l *Library) madeWith(ctx context.Context, tenant *Tenant) (model *ollama.Model, err error) {
	err = l.db.Read(ctx, "read embedding model", func(q *db.Queries) error {
		model, err = madeWith(ctx, q, tenant)
		return err
	})
	return model, err
}

func madeWith(ctx context.Context, q *db.Queries, tenant *Tenant) (*ollama.Model, error) {
	row, err := q.TenantEmbeddingModel(ctx, db.TenantEmbeddingModelParams{
		ProjectID: tenant.projectID, ID: tenant.id, Generation: tenant.generation,
	})
	if db.IsNoRows(err) {
		_, err := q.TenantVersion(ctx, db.TenantVersionParams{ProjectID: tenant.projectID, ID: tenant.id})
		if db.IsNoRows(err) {
			err = ErrTenantGone
		}
		return nil, err // nil, nil: there is none, which is no error
	}
	return &ollama.Model{
		Name: row.Name, Digest: row.Digest, Dimensions: int(row.Dimensions), PromptVersion: int(row.PromptVersion),
	}, err
}

// setModel makes the model the tenant's. Without replace one that another process
// has set meanwhile stays, and is found when documents are written.
func setModel(ctx context.Context, q *db.Queries, tenant *Tenant, model ollama.Model, replace bool) error {
	id, err := q.EmbeddingModelUpsert(ctx, db.EmbeddingModelUpsertParams{
		Name: model.Name, Digest: model.Digest, Dimensions: int32(model.Dimensions), PromptVersion: int32(model.PromptVersion),
	})
	if err != nil {
		return err
	}
	changed, err := q.TenantSetEmbeddingModel(ctx, db.TenantSetEmbeddingModelParams{
		EmbeddingModelID: id, ProjectID: tenant.projectID, ID: tenant.id, Generation: tenant.generation, Replace: replace,
	})
	if err == nil && changed == 0 {
		err = ErrTenantGone
	}
	return err
}

// modelTries is how often a query is embedded again because the model was
// replaced meanwhile.
const modelTries = 3

// modelReplaced is the error of who was given vectors of another model than the
// one that was there before. The next call finds the new one.
func modelReplaced() *Error {
	return Errorf(EmbeddingServiceError, "Ollama has replaced the embedding model meanwhile; try again")
}

func modelChanged(tenant *Tenant, made, current ollama.Model) *Error {
	subject, remedy := "this project", "`compound-docs reindex` in the repository"
	if tenant.Key == handbookKey() {
		subject, remedy = "the handbook", "`compound-docs ingest --source DIR` for each of its folders"
	}
	e := Errorf(EmbeddingServiceError, "%s was indexed with another version of the embedding model than Ollama has now, "+
		"and their vectors cannot be compared; run %s to embed it anew", subject, remedy)
	return e.With("indexed_with", describeModel(made)).With("current", describeModel(current))
}

func describeModel(m ollama.Model) string {
	return fmt.Sprintf("%s, digest %.12s, %d dimensions, prompt %d", m.Name, m.Digest, m.Dimensions, m.PromptVersion)
}

// Collection is a kind of documents that is searched apart from the others.
type Collection = db.Collection

// The collections.
const (
	Compounding = db.CollectionCompounding
	External    = db.CollectionExternal
	Handbook    = db.CollectionHandbook
)

// Level is how prominent a document is; see [Levels].
type Level = db.PromotionLevel

// The promotion levels.
const (
	Standard  = db.PromotionLevelStandard
	Important = db.PromotionLevelImportant
	Critical  = db.PromotionLevelCritical
)

// Levels returns the promotion levels in rising order.
func Levels() []Level { return []Level{Standard, Important, Critical} }
