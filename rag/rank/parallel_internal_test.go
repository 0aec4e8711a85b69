package rank

import (
	"strings"
	"testing"
)

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
