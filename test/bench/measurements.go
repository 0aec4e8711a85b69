package main

import "context"

// measurement is a row, and the function that gives its value, with a note on how
// large the run was and what else it showed.
type measurement struct {
	Row

	measure func(ctx context.Context, b *bench) (value float64, note string)
}

// measurements are in the order in which they run: load changes the corpus, and comes last of
// those that use it.
func measurements() []measurement {
	return []measurement{
		{Row{
			Name: "start.handshake.ratio", Unit: "ratio", Target: atMost(1.5),
			Reason: "a third of the difference are the schemas of twelve tools, against one, and a quarter is what the packages " +
				"of a larger program set up before main",
		}, handshake},
		{Row{
			Name: "sync.text.ratio", Unit: "ratio", Target: atMost(2),
			Reason: "on two processors the work of the server and that of PostgreSQL add up. The server takes 3.4 to 3.9 s of " +
				"processor time for 5,000 documents, a third of it for their terms and a third for markdown and front matter; " +
				"its INSERTs take about what COPY takes, 2 s; half of the sum is the figure. Collecting garbage less often gains nothing",
		}, textFirst},
		{Row{Name: "sync.noop.ratio", Unit: "ratio", Target: atMost(3)}, unchanged},
		{Row{Name: "storage.growth.ratio", Unit: "ratio", Target: atMost(2)}, tableGrowth},
		{Row{Name: "far.search.trips", Unit: "trips", Target: atMost(2)}, farSearch},
		{Row{Name: "far.activate.trips", Unit: "trips", Target: atMost(10)}, farActivation},
		{Row{Name: "far.sync.trips", Unit: "trips", Target: atMost(20)}, farSync},
		{Row{
			Name: "search.overhead.ratio", Unit: "ratio", Target: atMost(1.25),
			Reason: "the server also scores the passages that were found, looks for names in them, cuts snippets and writes JSON",
		}, overhead},
		{Row{
			Name: "search.lexical.ratio", Unit: "ratio", Target: atMost(1.3),
			Reason: "the server takes 5.6 ms of processor time. About 2.4 score the passages that were found and cut snippets, " +
				"on two processors at a time; 1.4 are JSON-RPC, since each call of a client with roots asks for them; 0.7 collect garbage",
		}, lexicalOverhead},
		{Row{Name: "recall.hook", Unit: "ms", Target: atMost(50)}, hookTime},
		{Row{Name: "search.hybrid.ratio", Unit: "ratio", Target: atMost(1.3)}, hybrid},
		{Row{Name: "load.sessions", Unit: "ms", Target: atMost(500)}, load},
		{Row{Name: "idle.statements", Unit: "a second", Target: atMost(25)}, idleStatements},
		{Row{
			Name: "search.recall10.min", Unit: "share", Target: atLeast(0.995),
			Reason: "a query about a subject that no document is of is as near to one cluster of synthetic vectors as to another. A " +
				"scan enters one of them, and in a graph of 100,000 they are not linked; among other tenants, whose clusters lie between, " +
				"they are. No help were a wider scan (hnsw.ef_search 64 to 240), a longer one (10 to 80 passages), fewer links " +
				"(m = 16 and 24), or a graph of bits whose order is made exact afterwards (it takes a thousand passages to hold the " +
				"nearest ten); a second to fifth scan, each away from what was found, would come to 0.985 at five times the cost",
		}, recall},
	}
}
