// Command sdebench runs a coding agent over the tasks of sde-bench (github.com/vectorize-io/sde-bench), and counts the
// corrections that it needs. It has no documents, or documents in the tree, or documents and compound-docs.
//
//	go run ./test/sdebench -agent "claude -p" -data DIR -documents DIR -results FILE
//
// Every task is a bug whose right fix depends on a decision of the project. A fix counts once the module's tests, the
// visible test of the bug and a hidden test pass. After a failure the agent gets the output of the tests, at most five
// times. The agent and the tests are programs of others: run it where they may do no harm.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// options are the command line.
type options struct {
	agent, resume, guided string // commands; the prompt is their last argument
	init                  string // prepares a repository for compound-docs
	grader                string // runs files of tests
	data, documents       string // folders
	results               string // a file
	only                  string // a pattern of the tasks' folders
	tasks                 int    // to run at most
	timeout               time.Duration
}

// arm is a way to solve a task.
type arm struct {
	name             string
	documents, hooks bool
}

var arms = []arm{{name: "nothing"}, {name: "documents", documents: true}, {name: "hooks", documents: true, hooks: true}}

func main() {
	var o options
	flag.StringVar(&o.agent, "agent", "", "`command` of the agent, such as \"claude -p\"; the prompt is its last argument")
	flag.StringVar(&o.resume, "resume", "", "`command` that goes on with the agent's last session; default: as -agent")
	flag.StringVar(&o.guided, "guided", "", "`command` of the agent with the hooks of compound-docs; default: as -agent")
	flag.StringVar(&o.init, "init", "compound-docs init --yes", "`command` that prepares a repository for compound-docs")
	flag.StringVar(&o.grader, "grader", "python3 -m pytest -q --no-header", "`command` that runs files of tests")
	flag.StringVar(&o.data, "data", "", "`folder` of sde-bench; SDEBENCH_BOLTONS_HOST names a clone of boltons")
	flag.StringVar(&o.documents, "documents", "", "`folder` of markdown that two of three arms have in docs/")
	flag.StringVar(&o.results, "results", "sdebench.jsonl", "`file` of results; what it has is not run again")
	flag.StringVar(&o.only, "only", "*", "`pattern` of the folders of tasks, such as boltons-budget or *-amended")
	flag.IntVar(&o.tasks, "tasks", 16, "`number` of tasks to run at most")
	flag.DurationVar(&o.timeout, "timeout", 20*time.Minute, "`time` for one call of the agent")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sdebench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	if o.agent == "" || o.data == "" || o.documents == "" {
		return errors.New(`give -agent, -data and -documents, such as -agent "claude -p" -data sde-bench -documents notes`)
	}
	files, err := filepath.Glob(filepath.Join(o.data, o.only, "tasks", "main", "task.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("there is no %s/tasks/main/task.json in %s: clone github.com/vectorize-io/sde-bench", o.only, o.data)
	}
	done, err := readResults(o.results)
	if err != nil {
		return err
	}
	left := o.tasks
	for _, file := range files {
		t, err := readTask(file)
		if err != nil {
			return err
		}
		ran := false
		for _, a := range arms {
			if done[t.ID+" "+a.name] {
				continue
			}
			if left == 0 {
				return summarize(o.results, out)
			}
			r, err := t.solve(ctx, o, a)
			if err != nil {
				return fmt.Errorf("%s with %s: %w", t.ID, a.name, err)
			}
			if err := r.append(o.results); err != nil {
				return err
			}
			fmt.Fprintln(out, r)
			ran = true
		}
		if ran {
			left--
		}
	}
	return summarize(o.results, out)
}

// fields returns a command line with a last argument.
func fields(command string, last ...string) []string { return append(strings.Fields(command), last...) }
