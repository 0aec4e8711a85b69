package rank

import (
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/internal/panics"
)

// onEach calls f with 0 to n-1, on all processors. If f panics, onEach panics.
func onEach(n int, f func(i int)) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			return panics.Catch(func() error {
				f(i)
				return nil
			})
		})
	}
	if bug, ok := group.Wait().(*panics.Error); ok { //nolint:errorlint // Catch returns it as it is
		panic(fmt.Sprintf("%v\n%s", bug.Value, bug.Stack))
	}
}
