package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
	"github.com/compound-docs/compound-docs/internal/setup/pgserver"
)

func checkDatabase(ctx context.Context, e *examination) []Finding {
	url, where := e.DatabaseURL, ""
	if e.Server != nil {
		state := e.Server.State(ctx)
		switch {
		case state.Err != nil:
			return e.failed(state.Err)
		case state.URL == "":
			return one(OK, fmt.Sprintf("PostgreSQL %s with pgvector %s, in %s. It does not run; it is started when it is needed, "+
				"or with compound-docs up", state.PostgreSQL, state.Pgvector, state.Folder), "")
		}
		url, where = state.URL, ", in "+state.Folder
	}
	version, err := db.ServerVersion(ctx, url)
	if err != nil {
		return e.failed(err)
	}
	if err := version.Check(); err != nil {
		what, hint := problem(err)
		return one(Error, what, hint)
	}
	e.databaseURL = url
	findings := one(OK, fmt.Sprintf("PostgreSQL %s with pgvector %s answers%s", version.PostgreSQL, version.Pgvector, where), "")
	// The private database gets no warning: it already has the newest pgvector that is possible on this machine.
	if problem, remedy := version.Concern(); problem != "" && e.Server == nil {
		findings = append(findings, one(Warning, problem, remedy)...)
	}
	return findings
}

// problem separates an error from its remedy. hint is "" without a remedy.
func problem(err error) (what, hint string) {
	if problem, ok := errors.AsType[*pgserver.Error](err); ok {
		return problem.Err.Error(), problem.Hint
	}
	if problem, ok := errors.AsType[*db.Error](err); ok {
		bare := *problem
		bare.Hint = ""
		return bare.Error(), problem.Hint
	}
	return err.Error(), ""
}

func (e *examination) failed(err error) []Finding {
	what, fix := problem(err)
	_, own := errors.AsType[*pgserver.Error](err)
	switch {
	case fix == "":
		fix = "try again, and read the log of PostgreSQL"
	case own, !strings.Contains(fix, "CDOCS_DATABASE_URL"):
	case e.Server == nil:
		fix += ", as in: export CDOCS_DATABASE_URL=postgres://user:password@host:5432/database " +
			"(without it compound-docs runs a PostgreSQL of its own)"
	default: // another URL is no remedy for the private database
		fix = "run: compound-docs down, and then compound-docs up"
	}
	return one(Error, what, fix)
}

// checkSchema compares the migrations of the database with the migrations in the program.
func checkSchema(ctx context.Context, e *examination) []Finding {
	if e.databaseURL == "" {
		return one(Skipped, "there is no database to look at now", "")
	}
	schema, err := db.ReadSchema(ctx, e.databaseURL)
	applied, latest := schema.Applied, schema.Latest
	switch {
	case err != nil:
		return e.failed(err)
	case !db.Compatible(applied, latest):
		return one(Error, fmt.Sprintf("the database has migration %d, and this program knows %d", applied, latest),
			"install the newest compound-docs: a newer one has changed the database so that this one cannot use it")
	case applied == 0:
		return one(OK, "the database is empty; the first call that needs it makes the tables, or compound-docs up", "")
	case applied < latest:
		return one(Warning, fmt.Sprintf("the database has migration %d of %d", applied, latest),
			"run: compound-docs up (the next server that connects migrates too, if its user may)")
	}
	if schema.Lacks != "" {
		return e.otherBuild(ctx, schema.Lacks)
	}
	e.migrated = true
	if applied > latest {
		return one(OK, fmt.Sprintf("a newer compound-docs has migrated the database to %d; this one, which knows %d, works with it",
			applied, latest), "")
	}
	return one(OK, fmt.Sprintf("all %d migrations are there", latest), "")
}

// otherBuild reports tables of an earlier development build. No migration can repair them.
func (e *examination) otherBuild(ctx context.Context, lacks string) []Finding {
	fix := "name another database in CDOCS_DATABASE_URL, and run: compound-docs up"
	if e.Server != nil {
		folder := e.Server.State(ctx).Folder
		fix = "run: compound-docs down && mv " + clients.Quote(folder) + " " + clients.Quote(folder+"-former") + " && compound-docs up"
	}
	return one(Error, "another build of compound-docs has made the tables, which lack "+lacks+": no search works",
		fix+". The index is built again from the files, and compound-docs ingest fills the handbook")
}
