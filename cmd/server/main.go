// Command compound-docs is the memory of a software project for AI coding
// assistants: an MCP server over stdio that keeps an index in step with the
// project's markdown knowledge, and answers questions over it, and a command line
// that does the same for people.
//
// This package alone composes the others.
package main

import (
	"context"
	"os"
	"runtime/debug"
)

// version is set when the binary is linked.
var version = "dev"

// softMemoryLimit is the memory use from which garbage is collected more often. The live data
// of a server stays far below it, even while large files are indexed; without a limit,
// garbage may double that.
const softMemoryLimit = 256 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemoryLimit)
	}
	ctx, stop := onSignal(context.Background())
	command, err := newCommand(os.Stdout).ExecuteContextC(ctx)
	code := report(ctx, command, err)
	stop()
	os.Exit(code)
}
