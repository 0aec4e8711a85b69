package index

import "sync"

// maxWriters is how many write at once, during the first sync of a tenant: it has
// nothing to search yet. Later writers take turns, since inserting into the graph
// keeps a processor of the database busy: beside two of them a search takes three
// times as long as beside one.
const maxWriters = 2

// analyzeFrom is the number of chunks from which the database is asked to look at
// what it holds. A tenant that it knows nothing of it takes for empty, and plans
// searches that read all of it for every passage that they meet; autovacuum comes
// a minute later, or where there are many tenants, not at all for a small one.
const analyzeFrom = 1000

// firstSync is what is different about writing while the index had nothing of the
// collection. The zero value is for when it had. Safe for concurrent use.
type firstSync struct {
	mu                sync.Mutex
	underWay          bool
	written, analyzed int // chunks
}

// begin tells whether one begins, or that it is over.
func (f *firstSync) begin(first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.underWay, f.written, f.analyzed = first, 0, 0
}

// writerShare is how much of the library's writers one is.
func (f *firstSync) writerShare() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.underWay {
		return 1
	}
	return maxWriters
}

// outgrows notes that documents were written, and reports whether with them there
// are so many more chunks than at the last time that the statistics are to be
// renewed.
func (f *firstSync) outgrows(documents []*prepared) bool {
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
