package workspace

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/panics"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// leader indexes a project while this server holds the lease. Otherwise it only observes the folders. Only the
// goroutine of keepLooking uses it.
type leader struct {
	project   *Project
	lease     *db.Lease
	leads     bool
	end       context.CancelFunc // ends the work; nil without work
	working   sync.WaitGroup
	published *IndexStatus // last status for other servers; nil before the first
}

// changeRole starts the work of the present role. A server with the lease indexes, and a server without the lease
// observes. If the lease was taken or lost since the last call, changeRole first ends the work of the earlier role.
func (l *leader) changeRole(ctx context.Context) {
	if l.end != nil && l.leads == l.lease.Held() {
		return
	}
	l.stop(ctx)
	l.leads, l.published = l.lease.Held(), nil
	ctx, l.end = context.WithCancel(l.lease.Context(ctx))
	work := func(name string, f func(ctx context.Context)) {
		l.working.Go(func() { panics.Restart(ctx, l.project.logger, name, func() { f(ctx) }) })
	}
	p := l.project
	for _, tree := range p.trees {
		tree.mirror.Reset()
		if l.leads {
			work("mirror "+tree.folder.Dir, tree.mirror.Run)
		} else {
			work("observe "+tree.folder.Dir, tree.mirror.Observe)
		}
	}
	if !l.leads {
		return
	}
	work("finish the index", func(ctx context.Context) {
		p.deferUntilText(ctx)
		if err := p.dropFormerExternal(ctx); err != nil && ctx.Err() == nil {
			p.logger.WarnContext(ctx, "drop external docs that are no longer configured", "error", err)
		}
		work("embed", p.queue.Run)
		work("remove unused text", func(ctx context.Context) { p.index.KeepSwept(ctx, p.Tenant, p.unusedTextAge) })
	})
}

// stop ends the work and waits for its end. Then it gives up the lease.
func (l *leader) stop(ctx context.Context) {
	if l.end == nil {
		return
	}
	l.end()
	l.working.Wait()
	l.end = nil
	if l.leads {
		l.lease.GiveUp(ctx)
	}
}

// publish writes a changed status into the tenant's row, if this server leads. If atOnce is true, it writes only when
// the index has just fallen behind the files or caught up with the files.
func (l *leader) publish(ctx context.Context, atOnce bool) {
	hadText, hasText := l.published != nil && l.published.hasText(), l.project.mirrored().hasText()
	if !l.leads || atOnce && hadText == hasText {
		return
	}
	if hasText {
		l.project.count(ctx)
	}
	status := l.project.indexed()
	if l.published != nil && reflect.DeepEqual(*l.published, status) {
		return
	}
	if err := l.project.index.SetSyncStatus(l.lease.Context(ctx), l.project.Tenant, status); err != nil {
		l.project.logger.DebugContext(ctx, "publish the status", "error", err)
		return
	}
	l.published = &status
}

// Embedding and cleaning up wait up to syncTime for the text of all files, and then answerTime for the answer of the
// activation. If they began earlier, their connections to a far database would delay the answer.
const (
	syncTime   = 500 * time.Millisecond
	answerTime = 100 * time.Millisecond
)

// deferUntilText waits until the text of all files is in the index, up to a limit. In the meantime it asks whether the
// model server answers, so that the activation can report a missing server.
func (p *Project) deferUntilText(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, syncTime)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	asking.Go(func() { p.queue.LookForModel(limited) })
	if p.until(limited, func() bool { return p.mirrored().hasText() }) {
		wait(ctx, answerTime)
	}
}

// dropFormerExternal removes the external docs of an earlier configuration if the present configuration has none. If
// the present configuration names another folder, the mirror of that folder removes the former documents.
func (p *Project) dropFormerExternal(ctx context.Context) error {
	if p.Definition.Config.ExternalDocs != nil {
		return nil
	}
	indexer := p.index.Indexer(p.Tenant, catalog.External, nil)
	known, err := indexer.Known(ctx)
	if err != nil {
		return err
	}
	return indexer.Remove(ctx, slices.Collect(maps.Keys(known)))
}
