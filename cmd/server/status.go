package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/plain"
)

func newStatusCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say what runs: the database, Ollama and its models",
		Long: `Say what runs: the database, Ollama and its models.

It starts, pulls and changes nothing.`,
		Example: "  compound-docs status --json",
		RunE:    withSetup(flags, (*setup).status),
	}
}

// systemStatus is the output of compound-docs status, and of up, as JSON.
type systemStatus struct {
	Version  string         `json:"version"`
	Home     string         `json:"home"`
	Database databaseStatus `json:"database"`
	Ollama   ollamaStatus   `json:"ollama"`
}

// databaseStatus is the state of the database.
type databaseStatus struct {
	// Own is false for a database that a URL names.
	Own     bool `json:"own"`
	Running bool `json:"running"`
	// URL has no password. It is "" for the user's own database if that does not run.
	URL string `json:"url,omitempty"`
	// Folder is where the files of the user's own database are, and "" for a container.
	Folder     string `json:"folder,omitempty"`
	PostgreSQL string `json:"postgresql,omitempty"`
	Pgvector   string `json:"pgvector,omitempty"`
	Error      string `json:"error,omitempty"`
}

func (d databaseStatus) String() string {
	var text strings.Builder
	if d.Running {
		plain.Printf(&text, "running, PostgreSQL %s with pgvector %s", d.PostgreSQL, d.Pgvector)
	} else {
		text.WriteString("not running")
	}
	switch {
	case d.Folder != "":
		text.WriteString(", in " + d.Folder)
	case d.URL != "":
		text.WriteString(", at " + d.URL)
	}
	if d.Error != "" {
		text.WriteString(": " + d.Error)
	} else if !d.Running {
		text.WriteString("; it starts when it is needed, or with compound-docs up")
	}
	return text.String()
}

// ollamaStatus is the state of Ollama.
type ollamaStatus struct {
	Host    string   `json:"host"`
	Running bool     `json:"running"`
	Version string   `json:"version,omitempty"`
	Missing []string `json:"missing_models"`
	Error   string   `json:"error,omitempty"`
}

func (o ollamaStatus) String() string {
	switch {
	case !o.Running:
		return "not running: " + o.Error
	case len(o.Missing) > 0:
		return fmt.Sprintf("running, %s at %s, without %s; compound-docs up pulls what is missing",
			o.Version, o.Host, strings.Join(o.Missing, " and "))
	default:
		return fmt.Sprintf("running, %s at %s, with both models", o.Version, o.Host)
	}
}

func (s *setup) status(ctx context.Context) error {
	found := s.systemStatus(ctx)
	return s.print(found, func(w io.Writer) {
		plain.Println(w, "compound-docs", found.Version, "with its files in", found.Home)
		plain.Println(w, "database:", found.Database)
		plain.Println(w, "ollama:  ", found.Ollama)
	})
}

func (s *setup) systemStatus(ctx context.Context) systemStatus {
	return systemStatus{Version: version, Home: s.home, Database: s.databaseStatus(ctx), Ollama: s.ollamaStatus(ctx)}
}

// databaseStatus looks at the database and starts nothing.
func (s *setup) databaseStatus(ctx context.Context) databaseStatus {
	d := databaseStatus{Own: s.server != nil, URL: s.databaseURL}
	if s.server != nil {
		state := s.server.State(ctx)
		d.URL, d.Folder, d.PostgreSQL, d.Pgvector = state.URL, state.Folder, state.PostgreSQL, state.Pgvector
		if state.Err != nil {
			d.Error = state.Err.Error()
		}
	}
	if d.URL == "" {
		return d
	}
	found, err := db.ServerVersion(ctx, d.URL)
	d.URL = withoutPassword(d.URL)
	if err != nil {
		d.Error = err.Error()
		return d
	}
	d.Running, d.PostgreSQL, d.Pgvector = true, found.PostgreSQL, found.Pgvector
	return d
}

// withoutPassword returns a database URL without its secrets, and "" for a text that is not
// a URL.
func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Opaque != "" || u.Host == "" && u.Query().Get("host") == "" {
		return "" // keywords or a mistake, which may hold a password anywhere
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	parameters := url.Values{}
	for _, known := range []string{"host", "port", "dbname", "sslmode"} {
		if value := u.Query().Get(known); value != "" {
			parameters.Set(known, value)
		}
	}
	u.RawQuery, u.Fragment = parameters.Encode(), ""
	return u.String()
}

func (s *setup) ollamaStatus(ctx context.Context) ollamaStatus {
	state := s.models.State(ctx)
	o := ollamaStatus{Host: state.Host, Running: true, Version: state.Version, Missing: append([]string{}, state.Missing...)}
	if state.Err != nil {
		o.Running, o.Error = false, state.Err.Error()
	}
	return o
}
