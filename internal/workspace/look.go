package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/watch"
)

// Time between two looks at a project. A look checks which branch is checked out, and what other servers have written
// about the project. An idle server looks less often, because a user may have a hundred idle windows.
const (
	lookInterval = time.Second
	idleInterval = 5 * time.Second
)

// maxLookWait bounds how long a call waits for a new look, for example the first call to an idle server.
const maxLookWait = 2 * time.Second

// snapshot is the result of one look at a project. It does not change.
type snapshot struct {
	at        time.Time
	leading   bool           // this server indexes the project
	published IndexStatus    // status of the server that indexes, if it is another server
	waiting   error          // why no server may be indexing the project, or nil
	config    document.Stamp // stamp of config.json
	problem   error          // what is wrong with config.json, or nil
}

// run does the background work for p until another project replaces p or w is closed. It starts after the end of the
// previous project, because both may have the same tenant.
func (w *Workspace) run(p, previous *Project) {
	defer close(p.ended)
	if previous != nil {
		<-previous.ended
	}
	ctx := p.life
	if !p.deleted.Load() {
		w.running.Go(func() { p.index.Warm(ctx) })
	}
	w.running.Go(func() {
		panics.Restart(ctx, p.logger, "look for stale documents", func() { p.stale.run(ctx) })
	})
	panics.Restart(ctx, p.logger, "look after the project", func() { w.keepLooking(ctx, p) })
}

// keepLooking looks at the project at intervals until ctx ends. While this server holds the lease, it also indexes.
func (w *Workspace) keepLooking(ctx context.Context, p *Project) {
	leader := &leader{project: p, lease: w.index.Lease(p.Tenant)}
	defer leader.stop(ctx)
	for ctx.Err() == nil {
		w.look(ctx, p, leader)
		interval := lookInterval
		if w.index.Idle() {
			interval = idleInterval
		}
		p.rest(ctx, interval, leader)
	}
}

// rest waits until the next look is due or requested. In the meantime it publishes urgent changes of the status.
func (p *Project) rest(ctx context.Context, interval time.Duration, leader *leader) {
	next := time.NewTimer(interval)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
			return
		case <-next.C:
			return
		case <-p.changed:
			leader.publish(ctx, true)
		}
	}
}

// look checks the checkout and the tenant's row once, acts on their changes, and stores a snapshot.
func (w *Workspace) look(ctx context.Context, p *Project, leader *leader) {
	now := &snapshot{at: time.Now(), published: IndexStatus{Failed: []Failed{}}, config: p.configStamp()}
	now.problem = w.replaceOutdated(ctx, p)
	if ctx.Err() != nil {
		return
	}
	leader.publish(ctx, false)
	led := leader.lease.Held()
	row, err := leader.lease.Look(ctx)
	if errors.Is(err, db.ErrTenantGone) && !p.deleted.Swap(true) {
		p.logger.WarnContext(ctx, "the index was deleted by another server")
	}
	leader.changeRole(ctx)
	now.leading, now.waiting = leader.lease.Held(), err
	switch {
	case now.waiting != nil && !now.leading:
		p.logger.DebugContext(ctx, "this server cannot index", "error", now.waiting)
	case row.SyncStatus == nil || led && !now.leading:
		now.published.Queued = 1 // no status, or a status from before this server lost the lease
	default:
		now.waiting = json.Unmarshal(row.SyncStatus, &now.published)
	}
	p.latest.Store(now)
	if now.waiting == nil && p.Status().hasText() {
		head, _ := project.Head(p.Definition.Root) // without git, the stamp is always the same
		p.stale.checkAfter(head.Stamp(), row.Version, w.index.Idle())
	}
}

// replaceOutdated activates the project again if its branch or config has changed, or if its index was deleted. A
// failure is only logged. The error says what is wrong with the config.
func (w *Workspace) replaceOutdated(ctx context.Context, p *Project) error {
	definition, problem := w.Settings.Load(p.Definition.ConfigPath)
	if !p.deleted.Load() && !p.moved() && (problem != nil || definition.Same(p.Definition)) {
		return problem
	}
	_, err := w.refresh(ctx, p)
	if err != nil && ctx.Err() == nil && apierror.AsError(err).Code != apierror.ProjectNotActivated {
		w.logger.WarnContext(ctx, "activate the changed project", "error", err)
	}
	return problem
}

// configStamp returns the stamp of config.json, or zero if there is no such file.
func (p *Project) configStamp() document.Stamp {
	info, err := os.Stat(p.Definition.ConfigPath)
	if err != nil {
		return document.Stamp{}
	}
	return watch.StampOf(info)
}

// lookAgain asks for a look and waits for its end, for at most maxLookWait.
func (p *Project) lookAgain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxLookWait)
	defer cancel()
	began := time.Now()
	signal(p.wake)
	p.until(ctx, func() bool { latest := p.latest.Load(); return latest != nil && latest.at.After(began) })
}

// signal puts a token into a channel with room for one token. It does nothing if the channel is full.
func signal(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// wait returns after a duration, or earlier if ctx ends.
func wait(ctx context.Context, duration time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(duration):
	}
}
