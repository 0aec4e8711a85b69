package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ollama/ollama/api"
)

// embedBatch is how many texts a request holds, as rag/ollama sends them.
const embedBatch = 32

// embedBound compares the first activation of a project on a running server, real
// Ollama making the vectors, with nothing but the requests for the same vectors,
// one after another: Ollama embeds one text at a time anyway.
func embedBound(ctx context.Context, e *environment) (_ []Row, err error) {
	documents, rounds := e.size(64, 256), e.size(3, 5)
	target, err := e.newDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.drop(ctx)) }()
	s, err := e.startServer(ctx, target.url, e.ollamaHost)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	e.say("sync.embedbound: %d documents", documents)
	// The first activation of all loads the model.
	if err := e.activateNew(ctx, s, "warm", 1); err != nil {
		return nil, err
	}
	var texts []string
	activate := func(ctx context.Context, round int) (time.Duration, error) {
		// A project of another name has no passage in common with the others.
		repo, err := e.newRepository(fmt.Sprintf("embedbound-%d", round), documents, 1, 2)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		if err := s.activate(ctx, repo, "main"); err != nil {
			return 0, err
		}
		took := time.Since(began)
		if texts == nil {
			texts, err = passageTexts(ctx, target, documents)
		}
		return took, err
	}
	bare, err := bareEmbedding(e.ollamaHost)
	if err != nil {
		return nil, err
	}
	compared, err := alternate(ctx, 0, rounds, activate, whole(func(ctx context.Context, _ int) error {
		return bare(ctx, texts)
	}))
	if err != nil {
		return nil, err
	}
	return []Row{{
		Name: "sync.embedbound.ratio", Value: compared.ratio(), Unit: "ratio", Target: atMost(1.1),
		Note: fmt.Sprintf("%d passages, %s models; %v", len(texts), e.ollamaModels, compared),
	}}, nil
}

// activateNew makes a project and activates it.
func (e *environment) activateNew(ctx context.Context, s *server, project string, documents int) error {
	repo, err := e.newRepository(project, documents, 1, 3)
	if err != nil {
		return err
	}
	return s.activate(ctx, repo, "main")
}

// passageTexts returns what was embedded for the latest project.
func passageTexts(ctx context.Context, d *database, documents int) ([]string, error) {
	rows, err := d.pool.Query(ctx, `
		SELECT heading || E'\n\n' || content FROM passages
		WHERE project_id = (SELECT max(project_id) FROM passages) ORDER BY hash`)
	if err != nil {
		return nil, err
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(texts) < documents {
		err = fmt.Errorf("%d documents have %d passages", documents, len(texts))
	}
	return texts, err
}

func bareEmbedding(host string) (func(ctx context.Context, texts []string) error, error) {
	client, err := ollamaClient(host)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, texts []string) error {
		for batch := range slices.Chunk(texts, embedBatch) {
			answer, err := client.Embed(ctx, &api.EmbedRequest{Model: "mxbai-embed-large", Input: batch})
			if err != nil {
				return err
			}
			if len(answer.Embeddings) != len(batch) {
				return fmt.Errorf("%d vectors for %d texts", len(answer.Embeddings), len(batch))
			}
		}
		return nil
	}, nil
}

func ollamaClient(host string) (*api.Client, error) {
	base, err := url.Parse(host)
	if err != nil {
		return nil, err
	}
	return api.NewClient(base, http.DefaultClient), nil
}
