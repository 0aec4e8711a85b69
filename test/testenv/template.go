package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/compound-docs/compound-docs/sql/schema"
)

// template is a database with the project's tables that databases of tests are copies of. A process has
// its own, so that none is left on a server that others use.
type template struct {
	name string
	drop func(context.Context) error
}

// Stop drops the database.
func (t *template) Stop() error { return t.drop(context.Background()) }

// newTemplate returns a template that the steps have made. They close their connections: PostgreSQL
// copies no database that has one.
func newTemplate(ctx context.Context, server string, steps []func(context.Context, string) error) (*template, error) {
	database, drop, err := NewDatabase(ctx, server)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if err := step(ctx, database); err != nil {
			return nil, errors.Join(err, drop(ctx))
		}
	}
	u, err := url.Parse(database)
	if err != nil {
		return nil, errors.Join(err, drop(ctx))
	}
	return &template{name: strings.TrimPrefix(u.Path, "/"), drop: drop}, nil
}

// migrate applies all migrations, as goose's command line does.
func migrate(ctx context.Context, database string) (err error) {
	config, err := pgx.ParseConfig(database)
	if err != nil {
		return fmt.Errorf("migrate the template: %w", err)
	}
	pool := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, pool.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, schema.FS, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrate the template: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate the template: %w", err)
	}
	return nil
}
