package workspace

import (
	"context"
	"errors"
	"sync"
	"time"
)

// publishInterval is the least time between two publications, and progressInterval that
// between two which differ in numbers alone.
const (
	publishInterval  = 500 * time.Millisecond
	progressInterval = 2 * time.Second
)

// phase is what there is to say of a status beside its numbers.
type phase struct {
	hasText, hasVectors     bool
	failed                  int
	waiting, embeddingWaits string
}

func (s Status) phase() phase {
	return phase{
		hasText: s.hasText(), hasVectors: s.Embedding == 0, failed: s.FailedCount,
		waiting: s.Waiting, embeddingWaits: s.EmbeddingWaits,
	}
}

// publish writes the status into the database, for the tenant's other servers,
// until ctx ends.
func (p *Project) publish(ctx context.Context) {
	var published phase
	var at time.Time
	for {
		changed := p.nextChange()
		status := p.mirrored().plusQueue(p.queue.Status())
		if status.EmbeddingWaits != "" { // else the queue counts what it has not counted yet
			status = p.localStatus(ctx)
		}
		next := progressInterval - time.Since(at)
		if now := status.phase(); next <= 0 || now != published {
			err := p.index.SetSyncStatus(ctx, p.Tenant, status)
			if err != nil && !errors.Is(err, context.Canceled) {
				p.logger.DebugContext(ctx, "publish status", "error", err)
			}
			published, at = now, time.Now()
			p.pause(ctx, status.hasText())
			next = time.Hour // there may be nothing to publish
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-time.After(next):
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
