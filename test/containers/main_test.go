// Package containers_test runs the real program against PostgreSQL and Ollama in
// containers: every tool, the watcher, and containers that stop, start and stall.
// The test of the tools runs against native processes too, so that both give the
// same answers. The package starts the program and calls its tools as
// a client does, and does not know how the containers are made.
package containers_test

import (
	"flag"
	"os"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) {
	// These tests wait more than they work.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(testenv.Main(m))
}
