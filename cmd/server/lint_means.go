package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/index"
)

// meansPatience is how long lint waits for the database.
const meansPatience = 5 * time.Second

// indexedMeans returns the mean vectors of the project's documents from the index. It starts
// no database, makes no tables and indexes nothing. The error says in a few words why there
// are none.
func indexedMeans(ctx context.Context, p *project.Project, o options) (means map[string]index.Mean, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, meansPatience, fmt.Errorf("the database took longer than %s", meansPatience))
	defer cancel()
	o.contentLogLevel = nil
	err = o.withSetup(io.Discard, func(s *setup) error {
		if err := s.checkIndexed(ctx); err != nil {
			return err
		}
		head, err := project.Head(p.Root)
		if err != nil {
			return err
		}
		key, err := workspace.LastKey(ctx, s.index, p, head)
		if err == nil {
			means, err = s.index.Means(ctx, key)
		}
		return err
	})
	return means, err
}

// checkIndexed returns an error unless a database runs that has the tables of this
// program.
func (s *setup) checkIndexed(ctx context.Context) error {
	url := s.databaseURL
	if s.server != nil {
		if url = s.server.State(ctx).URL; url == "" {
			return errors.New("no database runs")
		}
	}
	applied, latest, err := db.SchemaVersion(ctx, url)
	switch {
	case err != nil:
		return err
	case applied < latest || !db.Compatible(applied, latest):
		return errors.New("the database does not have the tables of this version")
	}
	return nil
}
