package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/session"
	"github.com/compound-docs/compound-docs/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/tools"
)

// flags are the command line's; "" is a flag that was not given.
type flags struct {
	databaseURL, ollamaHost, logLevel, project string
}

// options are what the program runs with: flag over environment over settings
// file over default.
type options struct {
	databaseURL string
	ollamaHosts []string
	logLevel    slog.Level
	project     string
	settings    project.Settings
}

func (f *flags) resolve() (options, error) {
	home := os.Getenv("CDOCS_HOME")
	if home == "" {
		var err error
		if home, err = project.DefaultHome(); err != nil {
			return options{}, err
		}
	}
	settings, err := project.LoadSettings(home)
	if err != nil {
		return options{}, err
	}
	o := options{
		databaseURL: first(f.databaseURL, os.Getenv("CDOCS_DATABASE_URL"), settings.DatabaseURL),
		project:     first(f.project, os.Getenv("CLAUDE_PROJECT_DIR")),
		settings:    settings,
	}
	hosts := first(f.ollamaHost, os.Getenv("CDOCS_OLLAMA_HOST"), settings.OllamaHost, ollama.DefaultHost)
	for host := range strings.SplitSeq(hosts, ",") {
		o.ollamaHosts = append(o.ollamaHosts, strings.TrimSpace(host))
	}
	level := first(f.logLevel, os.Getenv("CDOCS_LOG_LEVEL"), settings.LogLevel, "info")
	if err := o.logLevel.UnmarshalText([]byte(level)); err != nil {
		return options{}, fmt.Errorf("log level %q is none of debug, info, warn, error", level)
	}
	return o, nil
}

func first(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

// serve answers MCP requests until stdin ends or ctx does. stdout carries
// JSON-RPC only; logs go to stderr.
func serve(ctx context.Context, f *flags, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	o, err := f.resolve()
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: o.logLevel}))
	models, err := ollama.New(ollama.Config{
		Hosts: o.ollamaHosts, ChatModel: o.settings.GenerationModel, Logger: logger,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, models.Close()) }()
	database := db.NewDatabase(o.databaseURL, logger)
	defer database.Close()
	library := rag.NewLibrary(database, models, models, logger)
	active := session.New(library, o.settings, o.project, logger)
	defer active.Close()

	logger.InfoContext(ctx, "serving", "version", version)
	transport := &mcp.IOTransport{Reader: io.NopCloser(stdin), Writer: nopCloser{stdout}}
	err = tools.NewServer(active, version, logger).Run(ctx, transport)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
