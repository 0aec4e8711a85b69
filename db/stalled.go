package db

import (
	"context"
	"fmt"
	"time"
)

// A holder of the lease shows that it lives every second. These many looks, a
// second apart, without a sign in between make it suspect, and then evicted. Looks
// are counted, rather than ages compared, so that nobody is evicted because the
// database or this server stood still meanwhile: both see the holder again first.
const (
	suspectLooks = 3
	evictLooks   = 6
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

// holderWatch follows the signs of life of whoever holds a lease.
type holderWatch struct {
	holder Holder
	looks  int // at which the holder was as it is
}

// look sees after the holder of the tenant's lease, and evicts one that gives no
// sign of life. Its error is a [*StalledError], or that the database failed.
func (w *holderWatch) look(ctx context.Context, d *Database, tenant *Tenant) error {
	holder, held, err := d.LeaseHolder(ctx, LockIndexer, tenant.ID)
	if err != nil {
		return err
	}
	if !held || holder.Renewed.IsZero() || !holder.Same(w.holder) {
		*w = holderWatch{holder: holder}
		return nil
	}
	w.looks++
	if w.looks < suspectLooks {
		return nil
	}
	stalled := &StalledError{Process: holder.Process, Since: holder.Renewed}
	if w.looks >= evictLooks {
		stalled.Err = d.Evict(ctx, holder)
	}
	return stalled
}
