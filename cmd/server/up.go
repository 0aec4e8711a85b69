package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/compose"
	"github.com/compound-docs/compound-docs/internal/daemon"
	"github.com/compound-docs/compound-docs/internal/doctor"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

func newUpCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "up",
		Short: "Start the database and Ollama, and pull the models",
		Long: `Start what the server needs:

- the database: one of your own, made with this machine's PostgreSQL and pgvector, or
  else in a container; unless a database URL names another one. A database of that name is
  made if there is none, and migrated. A pgvector with known faults is updated if the
  server's packages have a newer one, and indexes that are not valid are built again;
- Ollama, if it does not run: as a program if it is installed, else in a container. Another
  model server of settings.json has to run already;
- both models, which are pulled if they are missing.

All of it goes on when the command has ended, until compound-docs down. The server
starts the database by itself when it needs it, and pulls a model when it needs it.
To do everything now saves the first search from waiting.`,
		Example: "  compound-docs up",
		RunE:    withSetup(flags, (*setup).up),
	}
}

func (s *setup) up(ctx context.Context) error {
	done, err := s.mendDatabase(ctx)
	for _, what := range done {
		plain.Println(s.stderr, "database:", what)
	}
	if err != nil {
		return err
	}
	for i, host := range []project.ModelHost{s.embeddings, s.answers}[:len(s.modelServers())] {
		if err := s.startModels(ctx, s.modelServers()[i], host); err != nil {
			return err
		}
	}
	_, err = s.report(ctx, nil, doctor.Head)
	return err
}

// mendDatabase starts the database if it is the user's own, mends and migrates it, and says
// what it has mended.
func (s *setup) mendDatabase(ctx context.Context) (done []string, err error) {
	address, err := s.address(ctx)
	if err != nil {
		return nil, err
	}
	if done, err = db.Mend(ctx, address); err != nil {
		return done, err
	}
	_, err = s.database.Pool(ctx)
	return done, err
}

// ollamaDaemon is the Ollama that this program starts.
func ollamaDaemon(home string) daemon.Daemon { return daemon.Daemon{Name: "ollama", Folder: home} }

// startModels starts the server if it is Ollama, and pulls its models. Another server has to run.
func (s *setup) startModels(ctx context.Context, server doctor.ModelServer, host project.ModelHost) error {
	client, isOllama := server.Client.(*ollama.Client)
	if !isOllama {
		return server.Client.State(ctx).Err
	}
	if err := s.startOllama(ctx, client, host.URL); err != nil {
		return err
	}
	return client.PullMissing(ctx, server.Models, showPulls(s.stderr))
}

// startOllama starts Ollama if it does not answer and its address is this machine's.
func (s *setup) startOllama(ctx context.Context, client *ollama.Client, url string) error {
	state := client.State(ctx)
	address, local := localAddress(url)
	if state.Err == nil || !local {
		return state.Err
	}
	if _, err := exec.LookPath("ollama"); err == nil {
		background := ollamaDaemon(s.home)
		s.logger.InfoContext(ctx, "starting ollama serve", "log", background.Log())
		if err := background.Start([]string{"OLLAMA_HOST=" + address}, "serve"); err != nil {
			return err
		}
		return s.awaitOllama(ctx, client, background.Log())
	}
	if !compose.Available(ctx) {
		return errors.New("Ollama is not installed, and there is no Docker to run it in; " + //nolint:staticcheck // a name
			"install it from https://ollama.com/download, and try again; searches by words work without it")
	}
	s.logger.InfoContext(ctx, "starting Ollama in a container, since it is not installed")
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("read the address of Ollama: %w", err)
	}
	return s.container().Up(ctx, compose.Ollama, "CDOCS_OLLAMA_PORT="+port)
}

// container returns the services in containers, with a folder of the user's.
func (s *setup) container() compose.Project {
	return compose.Project{Folder: filepath.Join(s.home, "container")}
}

// localAddress returns the host and port of a URL, and whether they are of this machine.
func localAddress(text string) (address string, local bool) {
	u, err := url.Parse(text)
	if err != nil {
		return "", false
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	ip := net.ParseIP(u.Hostname())
	return net.JoinHostPort(u.Hostname(), port), u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// awaitOllama waits until Ollama, which was just started, answers.
func (s *setup) awaitOllama(ctx context.Context, client *ollama.Client, log string) error {
	const limit, often = 30 * time.Second, 100 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		state := client.State(ctx)
		if state.Err == nil {
			return nil
		}
		select {
		case <-time.After(often):
		case <-ctx.Done():
			return fmt.Errorf("ollama serve was started, and does not answer (its log is %s): %w", log, state.Err)
		}
	}
}

// showPulls tells w how far the pulls of models are.
func showPulls(w io.Writer) func(model string, status ollama.PullStatus) {
	const mebibyte = 1 << 20
	shown := map[string]func(done, total int){}
	return func(model string, status ollama.PullStatus) {
		if shown[model] == nil {
			plain.Printf(w, "pull %s: this takes minutes\n", model)
			shown[model] = showProgress(w, "pull "+model+", MiB")
		}
		shown[model](int(status.Completed/mebibyte), int(status.Total/mebibyte))
	}
}

func newDownCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop what up has started",
		Long: `Stop the database and the Ollama that compound-docs has started. All data stays.

Servers that run lose the database until compound-docs up, or until another server is
started. A PostgreSQL or an Ollama that you have started yourself is left alone.`,
		Example: "  compound-docs down",
		RunE:    withSetup(flags, (*setup).down),
	}
}

// stopped says what compound-docs down has stopped, as --json prints it.
type stopped struct {
	// Database is "stopped", "was not running", or, where a URL names it, "not ours".
	Database string `json:"database"`
	Ollama   string `json:"ollama"`
}

func (s *setup) down(ctx context.Context) error {
	what := map[bool]string{true: "stopped", false: "was not running"}
	out := stopped{Database: "not ours"}
	if s.server != nil {
		ran, err := s.server.Stop(ctx)
		if err != nil {
			return err
		}
		out.Database = what[ran]
	}
	ran, err := ollamaDaemon(s.home).Stop()
	if err != nil {
		return err
	}
	if !ran && compose.Available(ctx) {
		if ran, err = s.container().Stop(ctx, compose.Ollama); err != nil {
			return err
		}
	}
	out.Ollama = what[ran]
	return s.print(out, func(w io.Writer) {
		if s.server == nil {
			plain.Printf(w, "database: a database URL names one that compound-docs did not start\n")
		} else {
			plain.Println(w, "database:", out.Database)
		}
		plain.Println(w, "ollama:  ", out.Ollama)
	})
}
