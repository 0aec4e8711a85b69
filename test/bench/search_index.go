package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// searchIndex is the index of projects of several sizes in one database. Its vectors are
// synthetic, so that it may be as large as that of a large team.
type searchIndex struct {
	*environment
	*database

	models   *embedder
	searcher *rag.Searcher
	projects []*searchProject
}

// searchProject has documents of one passage beside their front matter.
type searchProject struct {
	repo     *repository
	tenant   *catalog.Tenant
	passages int
}

// openSearchIndex makes the index, once.
func (e *environment) openSearchIndex(ctx context.Context) *searchIndex {
	if e.index != nil {
		return e.index
	}
	x := &searchIndex{environment: e, database: e.whole.newDatabase(ctx), models: newEmbedder()}
	x.searcher = rag.NewSearcher(x.Database, x.models)
	writer := index.New(x.Database, x.models, e.logger)
	x.withoutHNSW(ctx, func() {
		for _, passages := range []int{1000, e.size(5000, 10_000), e.size(20_000, 100_000)} {
			e.say("index: %d passages", passages)
			p := &searchProject{repo: e.newRepository(fmt.Sprintf("search-%d", passages), passages/2, searchSeed), passages: passages}
			p.tenant = syncOnce(ctx, writer, p.repo, "main")
			x.projects = append(x.projects, p)
		}
	})
	x.settle(ctx)
	e.index = x
	return x
}

// searchSeed makes the documents of all these projects.
const searchSeed = 12

// questions are words of a document of the project, with a vector near it; one of five is
// about a subject that may not be the project's. Other seeds make other questions.
func (x *searchIndex) questions(p *searchProject, seed uint64, count int) []string {
	random := newRandom(seed, p.passages)
	questions := make([]string, count)
	for i := range questions {
		at := random.IntN(p.repo.documents)
		text := document(newRandom(searchSeed, at), at, 1)
		question, vector := someWords(random, text[strings.LastIndex(text, "---")+3:]), x.models.space.aboutText(random, text)
		if i%5 == 4 {
			question, vector = sentence(random, 6), x.models.space.strange(random)
		}
		for x.models.queries[question] != nil {
			question += " " + word(random)
		}
		x.models.queries[question] = vector
		questions[i] = question
	}
	return questions
}

func (x *searchIndex) search(ctx context.Context, p *searchProject, query rag.Query) {
	query.Limit = searchLimit
	get(x.searcher.Search(ctx, catalog.Scope{Tenant: p.tenant, Collection: catalog.Compounding}, query))
}
