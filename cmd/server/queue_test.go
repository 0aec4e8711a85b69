package main_test

import (
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// Of two windows on one checkout the second says how far the first has come, and goes
// on where that was killed.
func TestServe_SecondWindowGoesOnEmbedding(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "everything is embedded several times")
	f := newFirstSync(t, manyDocuments())
	c := &crashes{firstSync: f, whole: map[string]bool{}}
	for _, line := range withoutVectors(f.freshSnapshot(t)) {
		c.whole[line] = true
	}
	f.fake.Forget()
	f.fake.SetFaults(fakeollama.Faults{EmbedTime: 20 * time.Millisecond})
	first, second := f.open(t), f.open(t)
	passages := count(t, f.pool, "SELECT count(*) FROM document_chunks")
	last := passages + 1
	for falls := 0; falls < 3; {
		index := second.index(t)
		if index == nil {
			t.Fatalf("the second window says that the index is whole, after %d numbers", falls)
		}
		if index.Pending > 0 || index.Waiting != "" || index.Embedding == 0 || index.Embedding > passages {
			t.Fatalf("the second window says %+v, of %d passages", *index, passages)
		}
		if index.Embedding < last {
			last = index.Embedding
			falls++
		}
		time.Sleep(10 * time.Millisecond) // between two looks
	}
	f.kill(t, first)
	c.check(t, map[string]bool{})
	before := f.embedded(t)
	if c.inVectors == 0 {
		t.Fatal("the first window had embedded everything: the test shows nothing")
	}
	f.fake.Forget()
	second.waitWhole(t)
	c.mustNotRepeat(t, before)
	f.mustEqualFresh(t)
}
