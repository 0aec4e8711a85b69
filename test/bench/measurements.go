package main

import "context"

// measurement is a row, and the function that gives its value, with a note on how
// large the run was and what else it showed.
type measurement struct {
	Row

	measure func(ctx context.Context, b *bench) (value float64, note string)
}

// measurements are in the order in which they run.
func measurements() []measurement {
	return []measurement{
		{Row{
			Name: "sync.text.ratio", Unit: "ratio", Target: atMost(2.5),
			Reason: "on two processors the work of the server and that of PostgreSQL add up: two thirds are the server's, most of it " +
				"for terms, built-in vectors and markdown",
		}, textFirst},
		{Row{Name: "sync.memory", Unit: "MiB", Target: atMost(150)}, syncMemory},
		{Row{
			Name: "sync.noop.ratio", Unit: "ratio", Target: atMost(3),
			Reason: "counting documents and passages takes a seventh of it and reading the stamps another; " +
				"the rest compares and watches the folders",
		}, unchanged},
		{Row{Name: "hook.program", Unit: "ms", Target: atMost(15)}, hookProgram},
		{Row{Name: "cli.search", Unit: "ms", Target: atMost(60)}, commandLine},
		{Row{Name: "load.sessions", Unit: "ms", Target: atMost(500)}, load},
		{Row{
			Name: "search.hybrid.ratio", Unit: "ratio", Target: atMost(1.3),
			Reason: "among 100,000 passages the words weigh up to 5,000, beside the vectors on two processors",
		}, hybrid},
		{Row{Name: "search.filter.ratio", Unit: "ratio", Target: atMost(2)}, filtered},
	}
}
