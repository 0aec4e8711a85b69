package db

import (
	"context"
	"fmt"
	"time"
)

// The holder of a lease renews it every second. It is reported as stalled after
// suspectChecks without a renewal, a second apart, and evicted after evictChecks.
// Checks are counted, rather than ages compared, so that no holder is evicted because
// the database or this server was suspended.
const (
	suspectChecks = 3
	evictChecks   = 6
)

// StalledError says that the server which indexes a checkout is suspended, or
// stuck, and that the index does not follow the files meanwhile.
type StalledError struct {
	// Process is which server that is, in words, or "".
	Process string
	// Since is when it gave its last sign of life.
	Since time.Time
	// Err is why this server cannot take its place, and nil while it is about to.
	Err error
}

func (e *StalledError) Error() string {
	process := ""
	if e.Process != "" {
		process = ", " + e.Process + ","
	}
	message := fmt.Sprintf(
		"the server that indexes this checkout%s has not responded since %s, and changes since then may be missing; ",
		process, e.Since.UTC().Format(time.RFC3339))
	if e.Err != nil {
		return message + "continue it (fg in its terminal) or end it, since this one cannot take its place: " + e.Err.Error()
	}
	return message + "another takes its place within seconds, and nothing need be done"
}

func (e *StalledError) Unwrap() error { return e.Err }

// holderWatch counts how long the holder of a lease has not renewed it.
type holderWatch struct {
	holder Holder
	checks int // without a renewal in between
}

// check looks up the holder of the tenant's lease and evicts one that has stalled. Its
// error is a [*StalledError] or that of the database.
func (w *holderWatch) check(ctx context.Context, d *Database, tenant *Tenant) error {
	holder, held, err := d.LeaseHolder(ctx, LockIndexer, tenant.ID)
	if err != nil {
		return err
	}
	if !held || holder.Renewed.IsZero() || !holder.Same(w.holder) {
		*w = holderWatch{holder: holder}
		return nil
	}
	w.checks++
	if w.checks < suspectChecks {
		return nil
	}
	stalled := &StalledError{Process: holder.Process, Since: holder.Renewed}
	if w.checks >= evictChecks {
		stalled.Err = d.Evict(ctx, holder)
	}
	return stalled
}
