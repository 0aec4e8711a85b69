package main

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// command searches by the command line, each time in a process of its own, in a repository
// whose index is up to date and which no server follows.
type command struct {
	*bench

	repo     *repository
	database *database
	fake     *fakeollama.Server
}

func (b *bench) newCommand(ctx context.Context) *command {
	c := &command{bench: b, repo: b.newRepository("cli", farDocuments, 1, 11), database: b.newDatabase(ctx), fake: b.startFake(0)}
	check(exec.CommandContext(ctx, "git", "init", "--quiet", c.repo.root).Run())
	c.run(c.database.url, "sync")
	c.database.settle(ctx)
	return c
}

// run runs the program, from the start of its process to its end.
func (c *command) run(databaseURL string, arguments ...string) {
	in := mcpclient.Installation{
		Program: c.program, Home: c.dir, Root: c.repo.root, DatabaseURL: databaseURL, OllamaHost: c.fake.URL(),
	}
	if output, err := in.Command(arguments...).CombinedOutput(); err != nil {
		check(fmt.Errorf("%v: %w: %s", arguments, err, output))
	}
}

// commandTrips counts the round trips of a search by the command line.
func commandTrips(ctx context.Context, b *bench) (count float64, note string) {
	c := b.newCommand(ctx)
	counter, through := b.newTrips(c.database.url, way{trip: farAway})
	c.run(through, "search", query(0))
	count, what := counter.taken()
	return count, fmt.Sprintf("%d documents: %s", farDocuments, what)
}

// commandSearch compares a search by the command line, from the start of its process to its
// end, with its statements, sent by themselves over one connection.
func commandSearch(ctx context.Context, b *bench) (ratio float64, note string) {
	c := b.newCommand(ctx)
	between, through := b.newCapture(c.database.url)
	c.run(through, "search", query(0))
	bare := b.newReplay(ctx, c.database.pool, between.taken())
	return compare(ctx, 2, b.size(20, 50),
		whole(func(context.Context, int) { c.run(c.database.url, "search", query(0)) }),
		whole(func(ctx context.Context, _ int) { bare.run(ctx) }),
		"%d documents, %d statements; ", farDocuments, len(bare.statements))
}
