package main

import (
	"context"
	"os/exec"
	"time"
)

// handshake compares the start of the server with that of the smallest one:
// from the start of the process until the client has the answer to initialize.
func handshake(ctx context.Context, e *environment) ([]Row, error) {
	start := func(command func() *exec.Cmd) timed {
		return func(ctx context.Context, _ int) (time.Duration, error) {
			began := time.Now()
			s, err := startProgram(ctx, command())
			if err != nil {
				return 0, err
			}
			took := time.Since(began)
			return took, s.close()
		}
	}
	compared, err := alternate(ctx, 3, e.size(30, 100),
		start(func() *exec.Cmd { return e.serverCommand(e.databaseURL, e.ollamaHost) }),
		start(func() *exec.Cmd { return exec.Command(e.hello) })) //nolint:noctx // ends when its stdin does
	if err != nil {
		return nil, err
	}
	return []Row{{
		Name: "start.handshake.ratio", Value: compared.ratio(), Unit: "ratio", Target: atMost(1.5), Note: compared.String(),
		Reason: "the SDK resolves the schemas of a dozen tools before the first answer (5 ms), and the schema library compiles " +
			"the metaschemas of five drafts as the process starts (4 to 10 ms); those of the tools' arguments are compiled " +
			"when they are first needed; the other libraries stop at the first violation or check no formats",
	}}, nil
}
