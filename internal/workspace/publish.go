package workspace

import (
	"context"
	"errors"
	"sync"
	"time"
)

// publishInterval is the least time between two publications.
const publishInterval = 500 * time.Millisecond

// publish writes the status into the database, for the tenant's other servers, each time
// that it has changed, until ctx ends.
func (p *Project) publish(ctx context.Context) {
	for ctx.Err() == nil {
		changed := p.nextChange()
		status := p.mirrored().plusQueue(p.queue.Status())
		if status.EmbeddingWaits != "" { // else the queue counts what it has not counted yet
			status = p.counted(ctx, p.mirrored())
		}
		err := p.index.SetSyncStatus(ctx, p.Tenant, status)
		if err != nil && !errors.Is(err, context.Canceled) {
			p.logger.DebugContext(ctx, "publish status", "error", err)
		}
		p.pause(ctx, status.hasText())
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// pause waits between two publications. It ends when the index falls behind the files: what
// another server answers until it knows may be outdated.
func (p *Project) pause(ctx context.Context, hadText bool) {
	limited, cancel := context.WithTimeout(ctx, publishInterval)
	defer cancel()
	p.until(limited, func() bool { return hadText && !p.mirrored().hasText() })
}

// How long other work on the index gives way to what the answer of an activation waits
// for: until the text of all files is there, and while the answer is made. The database
// may be far away, and work at the same time needs connections of its own.
const (
	syncTime   = 500 * time.Millisecond
	answerTime = 100 * time.Millisecond
)

// giveWay waits until the text of all files is in the index, for a moment at most. Ollama is
// asked for meanwhile, so that the answer says if it is away.
func (p *Project) giveWay(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, syncTime)
	var looking sync.WaitGroup
	defer looking.Wait()
	defer cancel()
	looking.Go(func() { p.queue.LookForModel(limited) })
	if p.until(limited, func() bool { return p.mirrored().hasText() }) {
		select {
		case <-ctx.Done():
		case <-time.After(answerTime):
		}
	}
}
