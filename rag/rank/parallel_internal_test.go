package rank

import (
	"strings"
	"sync/atomic"
	"testing"
)

func TestOnEach(t *testing.T) {
	t.Parallel()
	var calls [100]atomic.Int32
	onEach(len(calls), func(i int) { calls[i].Add(1) })
	for i := range calls {
		if n := calls[i].Load(); n != 1 {
			t.Errorf("f(%d) is called %d times, want once", i, n)
		}
	}
}

// A bug met in another goroutine fails the call, not the process.
func TestOnEach_Panics(t *testing.T) {
	t.Parallel()
	defer func() {
		if text, ok := recover().(string); !ok || !strings.Contains(text, "seven") || !strings.Contains(text, "parallel_internal_test.go") {
			t.Errorf("onEach panics with %q, want the value and its stack", text)
		}
	}()
	onEach(9, func(i int) {
		if i == 7 {
			panic("seven")
		}
	})
}
