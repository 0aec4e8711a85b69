package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/doctor"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/tools"
)

// tryConfig and tryDocuments are the project of a trial. The searches are to find the
// document with the title tryTitle.
const (
	tryConfig   = `{"project_name": "compound-docs-try", "documents": {"folder": "docs", "lenient": true}}`
	tryTitle    = "Requests wait for a connection to the database"
	tryWords    = "pool_max_conns"
	tryQuestion = "Why do requests queue before they reach the database?"
)

func tryDocuments() map[string]string {
	return map[string]string{
		"docs/pool.md":   "# " + tryTitle + "\n\nThe pool was exhausted: pool_max_conns was 4. With 20 no request waits.\n",
		"docs/labels.md": "# Umlauts on printed labels are wrong\n\nThe printer reads Latin-1, and the program sent UTF-8.\n",
		"docs/cache.md":  "# A build takes an hour\n\nThe cache of the compiler was on a slow disk.\n",
	}
}

// trial is a round trip of the program in a schema and a folder of its own.
type trial struct {
	*setup

	findings []doctor.Finding
}

// stepLimit bounds a step, which may have to load a model first.
const stepLimit = 3 * time.Minute

const seeFindings = "mend what the findings above name, and run compound-docs doctor --try again"

// tryOut makes a round trip: it indexes documents, searches and asks, in a schema of the
// database that it makes and drops, and starts the server as its client does. may asks
// whether to start a command that the repository names.
func (s *setup) tryOut(ctx context.Context, root string, may func(question string) bool) []doctor.Finding {
	t := &trial{setup: s}
	var address string
	if t.step(ctx, "database", seeFindings, func(ctx context.Context) (_ string, err error) {
		if address, err = s.address(ctx); err == nil {
			_, err = db.ServerVersion(ctx, address)
		}
		return "it answers", err
	}) {
		if err := db.Scratch(ctx, address, func(scratch string) error { return t.searchIn(ctx, scratch) }); err != nil {
			t.add("index", doctor.Error, err.Error(), seeFindings)
		}
	}
	t.tryServer(ctx, root, may)
	return t.findings
}

func (t *trial) add(check string, severity doctor.Severity, what, fix string) {
	t.findings = append(t.findings, doctor.Finding{Check: "try " + check, Severity: severity, What: what, Fix: fix})
}

// step tries one thing, and notes what f says of it with the time, or that it failed with what
// mends it. It reports whether that worked.
func (t *trial) step(ctx context.Context, check, fix string, f func(ctx context.Context) (string, error)) bool {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	began := time.Now()
	what, err := f(ctx)
	after := time.Since(began).Round(time.Millisecond)
	if err != nil {
		t.add(check, doctor.Error, fmt.Sprintf("%v, after %v", err, after), fix)
		return false
	}
	t.add(check, doctor.OK, fmt.Sprintf("%s, in %v", what, after), "")
	return true
}

// searchIn indexes the documents in the database at address, and finds them.
func (t *trial) searchIn(ctx context.Context, address string) (err error) {
	folder, err := os.MkdirTemp("", "compound-docs-try-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	files := tryDocuments()
	files[filepath.Join(project.ConfigDir, project.ConfigFile)] = tryConfig
	for name, text := range files {
		path := filepath.Join(folder, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600) //nolint:forbidigo // in a folder that was just made
		}
		if err != nil {
			return err
		}
	}
	o := t.options
	o.databaseURL, o.settings.CountSearches = address, false
	return o.withSetup(io.Discard, func(s *setup) error {
		tried := s.tooling(folder)
		defer tried.workspace.Close()
		if t.step(ctx, "index", seeFindings, func(ctx context.Context) (string, error) {
			_, err := tried.workspace.Active(ctx)
			return plain.Count(len(tryDocuments()), "document") + " indexed", err
		}) {
			t.step(ctx, "words", seeFindings, func(ctx context.Context) (string, error) { return tried.tryFind(ctx, rag.Lexical, tryWords) })
			t.tryModels(ctx, tried)
		}
		return nil
	})
}

// tryFind searches for the first document.
func (t *tooling) tryFind(ctx context.Context, mode rag.Mode, query string) (string, error) {
	found, err := t.tools.SemanticSearch(ctx, tools.SemanticSearchInput{Query: query, Mode: mode, MinRelevanceScore: new(0.0)})
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(found.Results, func(r tools.SearchResult) bool { return r.Title == tryTitle }) {
		return "", fmt.Errorf("%q does not find %q", query, tryTitle)
	}
	return fmt.Sprintf("%q finds %q", query, tryTitle), nil
}

// tryModels tries what Ollama has the models for.
func (t *trial) tryModels(ctx context.Context, tried *tooling) {
	state := t.models.State(ctx)
	for _, part := range []struct {
		step, model string
		try         func(ctx context.Context) (string, error)
	}{
		{"meaning", t.settings.EmbeddingModel, tried.tryMeaning},
		{"answer", t.settings.GenerationModel, tried.tryAnswer},
	} {
		switch {
		case state.Err != nil:
			t.add(part.step, doctor.Skipped, "left out: Ollama does not answer", "")
		case slices.Contains(state.Missing, part.model):
			t.add(part.step, doctor.Skipped, "left out: Ollama does not have "+part.model, "")
		default:
			t.step(ctx, part.step, "run: ollama run "+claude.Quote(part.model)+" and read Ollama's log", part.try)
		}
	}
}

func (t *tooling) tryMeaning(ctx context.Context) (string, error) {
	if _, err := t.tools.Sync(ctx, func(workspace.Status) {}); err != nil {
		return "", err
	}
	return t.tryFind(ctx, rag.Vector, tryQuestion)
}

func (t *tooling) tryAnswer(ctx context.Context) (string, error) {
	answer, err := t.tools.RagQuery(ctx, tools.RagQueryInput{Query: tryQuestion})
	if err != nil {
		return "", err
	}
	if answer.Generation != "" {
		return "", errors.New(answer.Reason)
	}
	return t.settings.GenerationModel + " has written " + plain.Count(len(strings.Fields(answer.Answer)), "word"), nil
}

// tryServer starts the server as it is registered with Claude Code, or else as this program, and asks for its tools.
func (t *trial) tryServer(ctx context.Context, root string, may func(question string) bool) {
	found, err := claude.Find(root)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.add("server", doctor.Skipped, "the registration is not known: "+err.Error(), "")
			return
		}
		found = claude.Registration{Command: claude.Program(), Args: []string{"serve"}}
	}
	line := claude.QuoteLine(append([]string{found.Command}, found.Args...))
	// Who made the repository may have written any command there.
	if found.Scope == claude.ScopeProject && (found.Command != claude.ServerName || len(found.Env) > 0) &&
		!may(fmt.Sprintf("%s says how to start the server: %s. Run it?", found.File, line)) {
		t.add("server", doctor.Skipped,
			fmt.Sprintf("left out: %s comes with the repository; doctor --try --yes starts its %s", found.File, line), "")
		return
	}
	t.step(ctx, "server", "run it by hand and read what it says: "+line, func(ctx context.Context) (string, error) {
		count, err := listTools(ctx, root, found)
		return fmt.Sprintf("%s offers %s", line, plain.Count(count, "tool")), err
	})
}

// listTools starts a server and counts its tools.
func listTools(ctx context.Context, root string, server claude.Registration) (count int, err error) {
	arguments := make([]string, len(server.Args))
	for i, argument := range server.Args {
		arguments[i] = expand(argument)
	}
	command := exec.CommandContext(ctx, expand(server.Command), arguments...) //nolint:gosec // as the client does
	command.Dir, command.Env = root, os.Environ()
	for name, value := range server.Env {
		command.Env = append(command.Env, name+"="+expand(value))
	}
	var said bytes.Buffer
	command.Stderr = &said
	client := mcp.NewClient(&mcp.Implementation{Name: "compound-docs-doctor", Version: version}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return 0, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(listed.Tools), nil
}

// expand replaces ${NAME} and ${NAME:-default} as Claude Code does.
func expand(text string) string {
	return os.Expand(text, func(name string) string {
		name, otherwise, _ := strings.Cut(name, ":-")
		return cmp.Or(os.Getenv(name), otherwise)
	})
}
