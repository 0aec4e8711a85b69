// Package soak_test runs the real program for a while: several servers on one
// repository whose files change at random and whose servers are killed, and the
// time from a save to an answer. It knows the program from outside only: its
// command line, its tools, its tables.
package soak_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// The target soak of the Makefile raises these numbers. The seed repeats a run.
var (
	operations = flag.Int("operations", 300, "how many random file operations")
	seed       = flag.Uint64("seed", 0, "of the random operations; 0 for one by chance")
	schedules  = flag.Int("schedules", 10, "how many schedules of faults")
	long       = flag.Duration("long", 0, "how long memory, connections and goroutines are watched; from 10m on they are judged")
)

// chooseSeed returns the seed of the run, and says how to repeat it with the flag that
// says how long it is.
func chooseSeed(t *testing.T, length string) uint64 {
	t.Helper()
	chosen := *seed
	if chosen == 0 {
		chosen = rand.Uint64()
	}
	t.Logf("to repeat: go test ./test/soak -run '^%s$' -%s %v -seed %d", t.Name(), length, flag.Lookup(length).Value, chosen)
	return chosen
}

func TestMain(m *testing.M) {
	// The schedules of faults wait for most of their time. -parallel overrides it.
	if err := flag.Set("test.parallel", strconv.Itoa(lanes)); err != nil {
		panic(err)
	}
	os.Exit(testenv.Main(m))
}
