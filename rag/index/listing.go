package index

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/said"
)

// CitedPlaces has a document's triggers, and what the document cites: places such as src/pool.go:12-20, names of code,
// and messages of programs.
type CitedPlaces struct {
	db.DocumentPlacesRow

	Triggers []said.Trigger
}

// CitedPlaces returns the tenant's documents that cite places, quote code, have triggers or are critical. If cues is
// not nil, it returns only documents with one of these keys; see [Indexer.Cues].
func (x *Index) CitedPlaces(
	ctx context.Context, tenant *catalog.Tenant, cues []string, in ...catalog.Collection,
) ([]CitedPlaces, error) {
	rows, err := db.ReadOne(ctx, x.db, "read what documents cite and declare", (*db.Queries).DocumentPlaces,
		db.DocumentPlacesParams{ProjectID: tenant.ProjectID, TenantID: tenant.ID, Cues: cues, Collections: in})
	cited := make([]CitedPlaces, len(rows))
	for i, row := range rows {
		cited[i] = CitedPlaces{DocumentPlacesRow: row}
		if row.Declared == "" {
			continue
		}
		if err := json.Unmarshal([]byte(row.Declared), &cited[i].Triggers); err != nil {
			return nil, fmt.Errorf("read the triggers of ./%s: %w", row.Path, err)
		}
	}
	return cited, err
}

// Citations returns the documents of a scope that cite places. Only their Path and Places are set.
func (x *Index) Citations(ctx context.Context, scope catalog.Scope) ([]CitedPlaces, error) {
	rows, err := db.ReadOne(ctx, x.db, "read what documents cite", (*db.Queries).DocumentCitations,
		db.DocumentCitationsParams{ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection})
	cited := make([]CitedPlaces, len(rows))
	for i, row := range rows {
		cited[i].Path, cited[i].Places = row.Path, row.Places
	}
	return cited, err
}

// Version returns the version of the tenant's documents. The version grows with each change of a document.
func (x *Index) Version(ctx context.Context, tenant *catalog.Tenant) (int64, error) {
	row, err := db.ReadOne(ctx, x.db, "read the version of the index", (*db.Queries).TenantState,
		db.TenantStateParams{ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation})
	return row.Version, err
}

// CountByType returns how many documents each doc-type has in the scope.
func (x *Index) CountByType(ctx context.Context, scope catalog.Scope) (map[string]int, error) {
	rows, err := db.ReadOne(ctx, x.db, "count documents", (*db.Queries).DocumentCountByType,
		db.DocumentCountByTypeParams{ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection})
	counts := map[string]int{}
	for _, row := range rows {
		counts[row.DocType] = int(row.Documents)
	}
	return counts, err
}

// Inspect reads the state of a checkout without registering it, and returns false if the index does not have it. It
// decodes the last published sync status into status. The QueueStatus counts the passages that have no vector of the
// model current or, if current is nil, of the model that last embedded the checkout.
func (x *Index) Inspect(ctx context.Context, key catalog.TenantKey, current *model.Model, status any) (bool, QueueStatus, error) {
	tenant, err := transact(ctx, x.db.Read, "inspect the index", func(q *db.Queries) (*catalog.Tenant, error) {
		tenant, _, err := lookUp(ctx, q, key)
		return tenant, err
	})
	if err != nil {
		return false, QueueStatus{}, ignoreNoRows(err)
	}
	row, err := db.ReadOne(ctx, x.db, "read sync status", (*db.Queries).TenantState,
		db.TenantStateParams{ProjectID: tenant.ProjectID, ID: tenant.ID, Generation: tenant.Generation})
	if err := ignoreNoRows(err); err != nil {
		return false, QueueStatus{}, fmt.Errorf("read sync status: %w", err)
	}
	if row.SyncStatus != nil {
		if err := json.Unmarshal(row.SyncStatus, status); err != nil {
			return false, QueueStatus{}, fmt.Errorf("read sync status: %w", err)
		}
	}
	if current != nil {
		row, err := x.findModel(ctx, *current)
		if err != nil {
			return false, QueueStatus{}, err
		}
		tenant.ModelID = &row.ID // 0 if the database does not know the model
	}
	queue := x.Queue(tenant, catalog.Compounding, catalog.External)
	err = queue.Count(ctx)
	return err == nil, queue.Status(), err
}

// SetSyncStatus publishes how far the tenant's index is behind the files, for servers that do not index the tenant. It
// does nothing if ctx comes from a lease that another indexer now holds.
func (x *Index) SetSyncStatus(ctx context.Context, tenant *catalog.Tenant, status any) error {
	encoded, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("encode sync status: %w", err)
	}
	return x.db.WriteBatch(ctx, "publish sync status", func(q *db.Queries) error {
		return q.TenantSetSyncStatus(ctx, db.TenantSetSyncStatusParams{
			SyncStatus: string(encoded), ProjectID: tenant.ProjectID, ID: tenant.ID,
			Generation: tenant.Generation, Epoch: db.EpochOf(ctx),
		})
	})
}
