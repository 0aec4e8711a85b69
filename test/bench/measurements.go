package main

import "context"

// measurement gives the value of a row.
type measurement struct {
	name, unit string
	target     Target
	measure    func(ctx context.Context, e *environment) (result, error)
	// reason says why the target is missed, and what was tried.
	reason string
}

// result is a value, and a note on how large the run was and what else it showed.
type result struct {
	value float64
	note  string
}

// measurements are in the order in which they run: those that change the corpus
// come last of those that use it.
func measurements() []measurement {
	return []measurement{
		{
			name: "start.handshake.ratio", unit: "ratio", target: atMost(1.5), measure: handshake,
			reason: "the SDK resolves the schemas of a dozen tools before the first answer (5 ms), and the schema library compiles " +
				"the metaschemas of five drafts as the process starts (4 to 10 ms); those of the tools' arguments are compiled " +
				"when they are first needed; the other libraries stop at the first violation or check no formats",
		},
		{name: "sync.embedbound.ratio", unit: "ratio", target: atMost(1.1), measure: embedBound},
		{name: "sync.bulk.ratio", unit: "ratio", target: atMost(2), measure: bulk},
		{name: "memory.rss.mib", unit: "MiB", target: atMost(80), measure: memory},
		{
			name: "storage.passage.bytes", unit: "bytes", target: atMost(8000), measure: passageStorage,
			reason: "a vector of 2,056 bytes fills a third of a page (2,730 bytes) both in the table and in the HNSW graph, and the " +
				"text takes a tuple out of line",
		},
		{name: "storage.branch.bytes", unit: "bytes", target: atMost(400), measure: branchStorage},
		{name: "sync.branch.embeddings", unit: "texts", target: atMost(0), measure: branchEmbeddings},
		{name: "sync.noop.ratio", unit: "ratio", target: atMost(3), measure: unchanged},
		{
			name: "search.overhead.ratio", unit: "ratio", target: atMost(1.25), measure: overhead,
			reason: "the client, the pipes, and the checks of arguments and answer take 1 to 2 ms whatever the statements take",
		},
		{name: "load.sessions", unit: "ratio", target: atMost(10), measure: load},
		{
			name: "search.recall10.min", unit: "share", target: atLeast(0.995), measure: recall,
			reason: "a query about a subject that no document is of is as near to one cluster of synthetic vectors as to another. A " +
				"walk enters one of them, and in a graph of 100,000 they are not linked; among other tenants, whose clusters lie between, " +
				"they are. No help were a wider walk (hnsw.ef_search 64 to 240), a longer one (10 to 80 passages), fewer links " +
				"(m = 16 and 24), or a graph of bits whose order is made exact afterwards (it takes a thousand passages to hold the " +
				"nearest ten); " +
				"a second to fifth walk, each away from what was found, would come to 0.985 at five times the cost",
		},
		{
			name: "search.growth.exponent", unit: "slope", target: atMost(0.2), measure: growth,
			reason: "a walk costs some 3 µs for each page of the index, and meets more of them as it is larger and less of it is in " +
				"the processor's cache; half as many links a passage (m = 16) was 30 % faster and lost 1 % of recall",
		},
		{name: "search.filtered.ratio", unit: "ratio", target: atMost(1.5), measure: filtered},
		{name: "search.crossover", unit: "passages", measure: crossover},
	}
}
