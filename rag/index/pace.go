package index

import (
	"math"
	"sync"
	"time"
)

// A batch is as much as takes batchTime to embed, so that a search that waits for it
// waits no longer, and what a stop loses is little. It has at most maxBatchPassages.
const (
	batchTime        = 100 * time.Millisecond
	firstBatchBytes  = 4 << 10
	maxBatchBytes    = 64 << 10
	maxBatchPassages = 32
)

// pace measures how fast passages are embedded. Safe for concurrent use.
type pace struct {
	mu sync.Mutex
	// 0 before the first batch. A model takes its time for each text and for each byte.
	bytesPerSecond, passagesPerSecond float64
}

// batch returns how many of the passages make the next batch, at least one.
func (p *pace) batch(passages []unembedded) int {
	p.mu.Lock()
	room, most := firstBatchBytes, maxBatchPassages
	if p.bytesPerSecond > 0 {
		room = int(min(p.bytesPerSecond*batchTime.Seconds(), maxBatchBytes))
		most = int(min(math.Round(p.passagesPerSecond*batchTime.Seconds()), maxBatchPassages))
	}
	p.mu.Unlock()
	n := 0
	for n < len(passages) && n < max(most, 1) {
		if room -= len(passages[n].Heading) + len(passages[n].Content); room < 0 && n > 0 {
			break
		}
		n++
	}
	return n
}

// passages returns about how many passages are embedded in the time, at least those of
// one batch and at most as many as given.
func (p *pace) passages(d time.Duration, most int) int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int32(min(max(p.passagesPerSecond*d.Seconds(), maxBatchPassages), float64(most)))
}

// note takes the mean of what was known and what a batch took: a single slow one,
// such as that which has to load the model, is soon forgotten.
func (p *pace) note(passages, bytes int, took time.Duration) {
	seconds := max(took.Seconds(), 1e-6)
	p.mu.Lock()
	defer p.mu.Unlock()
	mean := func(known *float64, now float64) {
		if *known == 0 {
			*known = now
		}
		*known = (*known + now) / 2
	}
	mean(&p.bytesPerSecond, float64(bytes)/seconds)
	mean(&p.passagesPerSecond, float64(passages)/seconds)
}
