// Command compound-docs is the memory of a software project for AI coding
// assistants: an MCP server over stdio that keeps an index in step with the
// project's markdown knowledge, and answers questions over it.
//
// This package alone composes the others.
package main

import (
	"context"
	"fmt"
	"os"
)

// version is set when the binary is linked.
var version = "dev"

func main() {
	end := &ending{stderr: os.Stderr}
	ctx, stop := end.onSignal(context.Background())
	err := newCommand(end).ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compound-docs:", err)
		os.Exit(1)
	}
}
