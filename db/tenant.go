package db

import (
	"context"
	"errors"
)

// TenantKey names one checkout on one branch.
type TenantKey struct {
	Project, Branch, PathHash string
}

// Tenant is a registered checkout on one branch. Every read and write of the index is inside one tenant. It is
// immutable.
type Tenant struct {
	Key           TenantKey
	ProjectID, ID int32
	Generation    int64  // identifies this registration; see [ErrTenantGone]
	ModelID       *int32 // model of its vectors at the registration, or nil
	Written       bool   // it had documents at the registration
	ReadOnly      bool   // the database's role could not write the index at the registration
}

// Writable returns an [*Error] if this server may only read the tenant.
func (t *Tenant) Writable(op string) error {
	if !t.ReadOnly {
		return nil
	}
	return errReadOnly(op, "this server may only read the index")
}

// ErrUnknownReadOnly returns the error for an unknown tenant that a read-only role cannot register.
func ErrUnknownReadOnly() error {
	return errReadOnly("register tenant", "the index does not have this checkout, and this server may only read it")
}

// ErrTenantGone means that somebody deleted a tenant after its registration, even if it was registered again since.
var ErrTenantGone = errors.New("the index of this checkout was deleted meanwhile")

// errNotLeader means that this server is no longer the tenant's indexer.
var errNotLeader = errors.New("another server has become the indexer of this checkout, or has deleted its index")

// IncrementVersion must come first in every transaction that changes the tenant's documents. It locks the tenant's row,
// so that writers take turns. It fails if the tenant was deleted, or if ctx has the epoch of a former leader; see
// [Lease].
func (t *Tenant) IncrementVersion(ctx context.Context, q *Queries) error {
	epoch := EpochOf(ctx)
	_, err := q.TenantIncrementVersion(ctx, TenantIncrementVersionParams{
		ProjectID: t.ProjectID, ID: t.ID, Generation: t.Generation, Epoch: epoch,
	})
	switch {
	case !IsNoRows(err):
		return err
	case epoch != nil:
		return errNotLeader
	default:
		return ErrTenantGone
	}
}

// Same reports whether both are the same registration of a checkout.
func (t *Tenant) Same(other *Tenant) bool {
	return t.ProjectID == other.ProjectID && t.ID == other.ID && t.Generation == other.Generation
}
