package main

// measurements are in the order in which they run: those that change the corpus
// come last of those that use it.
func measurements() []measurement {
	return []measurement{
		{rows: []string{"start.handshake.ratio"}, run: handshake},
		{rows: []string{"sync.embedbound.ratio"}, run: embedBound},
		{rows: []string{"sync.bulk.ratio"}, run: bulk},
		{rows: []string{"memory.rss.mib"}, run: memory},
		{rows: []string{"storage.passage.bytes"}, run: passageStorage},
		{rows: []string{"storage.branch.bytes"}, run: branchStorage},
		{rows: []string{"sync.branch.embeddings"}, run: branchEmbeddings},
		{rows: []string{"sync.noop.ratio"}, run: noop},
		{rows: []string{"search.overhead.ratio"}, run: overhead},
		{rows: []string{"load.sessions"}, run: load},
		{rows: []string{"search.recall10.min"}, run: recall},
		{rows: []string{"search.growth.exponent", "search.filtered.ratio"}, run: growth},
		{rows: []string{"search.crossover"}, run: routes},
	}
}
