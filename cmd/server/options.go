package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// flags are the flags of all commands. "" means that the user did not give a flag.
type flags struct {
	databaseURL, ollamaHost, logLevel, project string
}

// options are the program's settings. A flag wins over the environment, and the environment over settings.json.
type options struct {
	home        string
	databaseURL string // "" for the private database: a PostgreSQL that the program starts
	postgres    string // folder of the private database's programs, or "" to look for it
	ollamaHost  string
	// The field embeddings is the server of the embedding model. The field answers is the server of the language model.
	embeddings, answers project.ModelHost
	logLevel            slog.Level
	logLevelGiven       bool
	project             string // absolute path of --project, or ""
	settings            project.Settings
}

func (f *flags) resolve() (options, error) {
	home, err := homeFolder()
	if err != nil {
		return options{}, err
	}
	settings, err := project.LoadSettings(home)
	if err != nil {
		return options{}, err
	}
	return f.resolveWith(home, settings)
}

// homeFolder returns the folder of the user's settings and data.
func homeFolder() (string, error) {
	if home := os.Getenv("CDOCS_HOME"); home != "" {
		return home, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the home folder (set CDOCS_HOME to the folder to use): %w", err)
	}
	return filepath.Join(home, ".claude", project.ConfigDir), nil
}

// folder returns the folder of --project or CLAUDE_PROJECT_DIR, or "".
func (f *flags) folder() string { return cmp.Or(f.project, os.Getenv("CLAUDE_PROJECT_DIR")) }

func (f *flags) resolveWith(home string, settings project.Settings) (options, error) {
	o := options{
		home:        home,
		databaseURL: cmp.Or(f.databaseURL, os.Getenv("CDOCS_DATABASE_URL"), settings.DatabaseURL),
		ollamaHost:  cmp.Or(f.ollamaHost, os.Getenv("CDOCS_OLLAMA_HOST"), settings.OllamaHost, ollama.DefaultHost),
		project:     f.folder(),
		postgres:    cmp.Or(os.Getenv("CDOCS_POSTGRES"), settings.Postgres),
		settings:    settings,
	}
	o.embeddings = o.modelHost(settings.EmbeddingHost, "CDOCS_EMBEDDING_KEY")
	o.answers = o.modelHost(settings.GenerationHost, "CDOCS_GENERATION_KEY")
	var projectErr, postgresErr error
	o.project, projectErr = absolute(o.project)
	o.postgres, postgresErr = absolute(o.postgres)
	if err := cmp.Or(projectErr, postgresErr); err != nil {
		return options{}, err
	}
	level := cmp.Or(f.logLevel, os.Getenv("CDOCS_LOG_LEVEL"), settings.LogLevel)
	o.logLevelGiven = level != ""
	level = cmp.Or(level, "info")
	if err := o.logLevel.UnmarshalText([]byte(level)); err != nil {
		return options{}, usagef("log level %q is none of debug, info, warn, error", level)
	}
	return o, nil
}

// absolute returns the absolute form of a path, or "" for "".
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	return full, nil
}

// modelHost returns the configured model server, or Ollama if no server is configured. keyVariable is the environment
// variable that may have the key of the configured server.
func (o options) modelHost(configured project.ModelHost, keyVariable string) project.ModelHost {
	if configured.URL == "" {
		return project.ModelHost{API: ollamaAPI, URL: o.ollamaHost}
	}
	configured.Key = cmp.Or(os.Getenv(keyVariable), configured.Key)
	return configured
}
