package db

import (
	"context"
	"errors"
)

// TenantKey names one checkout on one branch.
type TenantKey struct {
	Project, Branch, PathHash string
}

// Tenant is a checkout on one branch that is registered in the database. Every read and write of the index is inside
// one tenant. A Tenant is immutable.
type Tenant struct {
	Key           TenantKey
	ProjectID, ID int32
	Generation    int64  // identifies this registration; see [ErrTenantGone]
	ModelID       *int32 // model of the vectors at the registration, or nil
	Written       bool   // the index had documents of the tenant at the registration
	ReadOnly      bool   // the database role could not write at the registration
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

// ErrTenantGone means that a tenant was deleted after its registration. The checkout may have a new registration.
var ErrTenantGone = errors.New("the index of this checkout was deleted meanwhile")

// errNotLeader means that this server no longer indexes the tenant, or that somebody deleted the tenant.
var errNotLeader = errors.New("another server has become the indexer of this checkout, or has deleted its index")

// IncrementVersion must come first in every transaction that changes the tenant's documents: it locks the tenant's row,
// so that writers take turns. It fails if the tenant was deleted, or if ctx has an old epoch; see [Lease].
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

// Same reports whether t and other are one registration of a checkout.
func (t *Tenant) Same(other *Tenant) bool {
	return t.ProjectID == other.ProjectID && t.ID == other.ID && t.Generation == other.Generation
}
