package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/compound-docs/compound-docs/internal/pgserver"
)

// provideDatabase installs a PostgreSQL for the server to start, where it is missing
// and someone agrees. It starts none.
func (i *initializer) provideDatabase(ctx context.Context, o options) error {
	if o.databaseURL != "" {
		return nil
	}
	server := pgserver.New(o.home, slog.New(slog.DiscardHandler))
	defer server.Close()
	state := server.State(ctx)
	problem, missing := errors.AsType[*pgserver.Error](state.Err)
	if missing && problem.Installer != nil {
		if !i.mayInstall(problem.Installer) {
			fmt.Fprintf(i.stdout, "database: %v. compound-docs init --yes installs it\n", problem)
			return nil
		}
		fmt.Fprintln(i.stdout, "database: installing", problem.Installer.Description)
		input, _ := i.stdin.(*os.File) // nil where there is nobody to ask for a password
		if err := problem.Installer.Install(ctx, input, i.stderr); err != nil {
			return fmt.Errorf("%w; all else is done; by hand, %s", err, problem.Hint)
		}
		if state = server.State(ctx); state.Err != nil {
			return state.Err
		}
	}
	switch {
	case state.Err != nil:
		fmt.Fprintln(i.stdout, "database:", state.Err)
	case state.PostgreSQL == "":
		fmt.Fprintln(i.stdout, "database: a container, which the server starts with the first call")
	default:
		fmt.Fprintf(i.stdout, "database: PostgreSQL %s with pgvector %s, which the server starts with the first call\n",
			state.PostgreSQL, state.Pgvector)
	}
	return nil
}

// mayInstall asks whether to install packages. Without a terminal only --yes is a yes.
func (i *initializer) mayInstall(installer *pgserver.Installer) bool {
	if i.yes {
		return true
	}
	answer, asked := i.ask("The server needs a database. Install " + installer.Description + "?")
	return asked && answer
}
