// Command demo shows the main job on real parts: it starts the server as an
// assistant would, over stdio, activates the demo project, and prints what it
// asks and what it is told.
//
// It runs in the repository's root, after make build. The server starts a private PostgreSQL, which the demo
// downloads where pip is at hand. Answers are written only if an Ollama of the machine has the models.
//
// With -record it records a session in a terminal instead, the picture of README.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
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

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/postgres"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const (
	root      = "examples/demo-project"
	questions = "examples/questions.json"
)

func main() {
	record := flag.Bool("record", false, "record docs/recording.svg instead")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, *record)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// question is one that the demo project answers.
type question struct {
	// OtherWords asks for the document. It has few of the words in the document.
	OtherWords string `json:"other_words"`
	Path       string `json:"path"`
	Ask        bool   `json:"ask"`
}

// demo is an installation of the program, with a client of its running server.
type demo struct {
	out       io.Writer
	questions []question
	client    *mcpclient.Client
	bin, home string // folders of the program, and of its files for the time of the demo
	postgres  string // the programs of PostgreSQL, "" for those of CDOCS_POSTGRES
	written   bool   // a language model wrote an answer
}

func run(ctx context.Context, out io.Writer, record bool) (err error) {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "compound-docs-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	if err := os.Chmod(home, 0o711); err != nil { // the account of PostgreSQL enters it
		return err
	}
	d := &demo{out: out, bin: bin, home: home}
	bundle, err := postgres.Fetch(ctx, runtime.GOOS, runtime.GOARCH)
	if err == nil {
		d.postgres = filepath.Join(bundle, postgres.Bin)
	} else if machines, found := testenv.MachinesPostgres(ctx); found {
		d.postgres = machines.Bin
	} else if os.Getenv("CDOCS_POSTGRES") == "" {
		return fmt.Errorf("%w; or set CDOCS_POSTGRES to the folder of PostgreSQL's programs", err)
	}
	defer func() {
		err = errors.Join(err, d.command(context.WithoutCancel(ctx), "", "compound-docs", "down").Run())
	}()
	if record {
		return d.record(ctx)
	}
	return d.show(ctx)
}

// command is a program in a folder. PATH begins with the folder of this one.
func (d *demo) command(ctx context.Context, dir, name string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, arguments...)
	if name == "compound-docs" {
		command = exec.CommandContext(ctx, filepath.Join(d.bin, name), arguments...)
	}
	command.Dir = dir
	command.Env = append(os.Environ(), "PATH="+d.bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "TERM=xterm-256color",
		"CDOCS_HOME="+filepath.Join(d.home, ".compound-docs"), "CDOCS_DATABASE_URL=", "CDOCS_LOG_LEVEL=error")
	if d.postgres != "" {
		command.Env = append(command.Env, "CDOCS_POSTGRES="+d.postgres)
	}
	return command
}

// show starts the server, and asks it the questions of the demo project.
func (d *demo) show(ctx context.Context) (err error) {
	content, err := os.ReadFile(questions)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &d.questions); err != nil {
		return fmt.Errorf("read %s: %w", questions, err)
	}
	d.section("Start the server over stdio, as Claude Code does")
	if err := d.start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.client.Close()) }()
	for _, step := range []struct {
		title string
		do    func(context.Context) error
	}{
		{"Activate the demo project: every document is read, cut into passages and indexed", d.activate},
		{"Speak up: a rule was written once, with when it wants to be heard, and two assistants hear it", d.speakUp},
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

func (d *demo) start(ctx context.Context) error {
	started := time.Now()
	command := d.command(ctx, "", "compound-docs", "serve")
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
