package index

import "sync"

// maxWriters is how many batches are written at once during the first sync of a
// tenant, which has nothing to search yet. Later batches are written one at a time:
// inserting into an HNSW index keeps a processor of the database busy, and with two
// writers a search takes three times as long as with one.
const maxWriters = 2

// analyzeFrom is the number of chunks from which a first sync runs ANALYZE. Without
// statistics PostgreSQL takes a tenant for empty, and plans searches that read all of
// it for every passage. Autovacuum runs a minute later, and never for a small tenant
// among many.
const analyzeFrom = 1000

// firstSync says whether a collection was empty when its sync began, and counts what
// was written since. The zero value is of a later sync. Safe for concurrent use.
type firstSync struct {
	mu                sync.Mutex
	underWay          bool
	written, analyzed int // chunks
}

// begin starts a sync, which is the first or a later one.
func (f *firstSync) begin(first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.underWay, f.written, f.analyzed = first, 0, 0
}

// semaphoreWeight is what writing a batch takes of the index's maxWriters.
func (f *firstSync) semaphoreWeight() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.underWay {
		return 1
	}
	return maxWriters
}

// needsAnalyze counts documents that were written, and reports whether the statistics
// should be renewed: there are half as many chunks again as at the last time.
func (f *firstSync) needsAnalyze(documents []*prepared) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.underWay {
		return false
	}
	for _, doc := range documents {
		f.written += len(doc.passages)
	}
	if f.written-f.analyzed < max(analyzeFrom, f.analyzed/2) {
		return false
	}
	f.analyzed = f.written
	return true
}
