// Command demo shows the main job on real parts: it starts the server as an
// assistant would, over stdio, activates the demo project, and prints what it
// asks and what it is told.
//
// It runs in the repository's root. The server starts a private PostgreSQL, which the demo downloads where pip is
// at hand. Answers are written only if an Ollama of the machine has the models.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/postgres"
)

const (
	root      = "examples/demo-project"
	questions = "examples/questions.json"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// question is one that the demo project answers.
type question struct {
	// OtherWords asks for the document with few of its own words.
	OtherWords string `json:"other_words"`
	Path       string `json:"path"`
	Ask        bool   `json:"ask"`
}

// demo is a client of a running server.
type demo struct {
	out       io.Writer
	questions []question
	client    *mcpclient.Client
	home      string // of the program, for the time of the demo
	written   bool   // a language model wrote an answer
}

func run(ctx context.Context, out io.Writer) (err error) {
	content, err := os.ReadFile(questions)
	if err != nil {
		return err
	}
	var asked []question
	if err := json.Unmarshal(content, &asked); err != nil {
		return fmt.Errorf("read %s: %w", questions, err)
	}
	d := &demo{out: out, questions: asked}
	if d.home, err = os.MkdirTemp("", "compound-docs-demo-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(d.home)) }()
	if err := os.Chmod(d.home, 0o711); err != nil { // the account of PostgreSQL enters it
		return err
	}
	d.section("Start the server over stdio, as Claude Code does")
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, d.client.Close(), d.program(context.WithoutCancel(ctx), "down").Run())
	}()
	for _, step := range []struct {
		title string
		do    func(context.Context) error
	}{
		{"Activate the demo project: every document is read, cut into passages and indexed", d.activate},
		{"List the doc-types", d.listDocTypes},
		{"Search: ten questions in other words than the documents'; ✓ marks the document that should be first", d.searchAll},
		{"Ask: an answer from the documents, those they link to and the critical ones", d.askSome},
	} {
		d.section(step.title)
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	d.section("Done")
	if !d.written {
		d.printf("No language model wrote these answers: they quote the documents. To have them written, install\n" +
			"Ollama (https://ollama.com), and run this again after:\n\n  ollama pull mistral\n\n")
	}
	d.printf("To use it in a project of your own, run there: compound-docs init.\n")
	return nil
}

// program is the program with arguments, in an installation of its own.
func (d *demo) program(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "bin/compound-docs", arguments...)
	command.Env = append(os.Environ(), "CDOCS_HOME="+d.home, "CDOCS_DATABASE_URL=", "CDOCS_LOG_LEVEL=error")
	return command
}

func (d *demo) start(ctx context.Context) error {
	bundle, err := postgres.Fetch(ctx, runtime.GOOS, runtime.GOARCH)
	if err != nil {
		d.printf("The machine's own PostgreSQL or Docker is used: %v.\n", err)
	}
	started := time.Now()
	command := d.program(ctx, "serve")
	if bundle != "" {
		command.Env = append(command.Env, "CDOCS_POSTGRES="+filepath.Join(bundle, postgres.Bin))
	}
	command.Stderr = os.Stderr
	client, err := mcpclient.Start(ctx, command)
	if err != nil {
		return err
	}
	d.client = client
	tools, err := client.ListTools(ctx, nil)
	if err != nil {
		return errors.Join(err, client.Close())
	}
	names := make([]string, len(tools.Tools))
	for i, tool := range tools.Tools {
		names[i] = tool.Name
	}
	d.printf("Ready after %d ms, with the tools %s.\n", time.Since(started).Milliseconds(), strings.Join(names, ", "))
	return nil
}

// configAndBranch returns what activates the demo project.
func configAndBranch() (config, branch string, err error) {
	config, err = filepath.Abs(filepath.Join(root, ".csharp-compounding-docs", "config.json"))
	if err != nil {
		return "", "", err
	}
	head, err := project.Head(filepath.Dir(filepath.Dir(config)))
	if !head.InRepository {
		head.Branch = "main"
	}
	return config, head.Branch, err
}

// call calls a tool and prints the call.
func (d *demo) call(ctx context.Context, tool string, arguments answer) (got answer, err error) {
	shown, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	d.printf("→ %s %s\n", tool, shown)
	started := time.Now()
	if err := d.client.Call(ctx, tool, arguments, &got); err != nil {
		return nil, err
	}
	d.printf("← in %d ms\n", time.Since(started).Milliseconds())
	return got, nil
}

func (d *demo) section(title string) { d.printf("\n── %s\n\n", title) }

func (d *demo) printf(format string, args ...any) { fmt.Fprintf(d.out, format, args...) }
