package watch

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// Servers of several versions compare their sums, so the text below a sum stays as it is. It is made once for
// each file of a walk.
func TestEntry_Sum(t *testing.T) { //nolint:paralleltest // testing.AllocsPerRun allows no other test
	e := entry{path: "docs/ä.md", stamp: document.Stamp{
		Size: 12, ModTime: time.Unix(1, 2), ChangeTime: time.Unix(-3, 4), Inode: 1<<64 - 1,
	}}
	hash := sha256.Sum256(fmt.Appendf(nil, "docs/ä.md\x0012 1000000002 -2999999996 %d", e.stamp.Inode))
	if want, got := binary.BigEndian.Uint64(hash[:]), e.sum(); got != want {
		t.Errorf("the sum is %d, want %d", got, want)
	}
	if allocations := testing.AllocsPerRun(10, func() { _ = e.sum() }); allocations > 1 {
		t.Errorf("a sum allocates %.0f times, want once", allocations)
	}
}
