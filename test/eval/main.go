// Command eval judges search on the sets of this folder and on other collections, by words
// and with each embedding model at hand, and prints the figures beside each other.
//
//	go run ./test/eval [-hook | -fit] [-model FILE.gguf ...] [COLLECTION ...]
//
// It runs in the repository's root under test/testenv/withservices. It makes projects of each
// collection, starts the program there, and asks over MCP, as an assistant does. With -hook it
// judges what the hook of a prompt adds, with -fit it fits what scores mean.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const (
	program = "bin/compound-docs"
	folder  = "test/eval"
	// nobody is an address at which nothing listens.
	nobody = "http://127.0.0.1:1"
)

// options are the command line.
type options struct {
	models, collections []string
	hook, fit           bool
}

func main() {
	var o options
	flag.Func("model", "`file` of an embedding model in the form GGUF; may be repeated", func(file string) error {
		o.models = append(o.models, file)
		return nil
	})
	flag.BoolVar(&o.hook, "hook", false, "judge what the hook of a prompt adds")
	flag.BoolVar(&o.fit, "fit", false, "fit what scores mean")
	flag.Parse()
	o.collections = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	if o.fit {
		return fitAll(ctx, out, o)
	}
	tasks, err := newTasks(append([]string{folder + "/corpus", folder + "/literal"}, o.collections...))
	if err != nil {
		return err
	}
	return table(ctx, out, tasks, o)
}

// table judges every task with every competitor.
func table(ctx context.Context, out io.Writer, tasks []task, o options) error {
	all, err := competitors(ctx, os.Getenv(testenv.EnvOllamaHost), o.models)
	if err != nil {
		return err
	}
	printTableHead := printSearchHead
	if o.hook {
		printTableHead = printHookHead
		all = slices.DeleteFunc(all, func(c competitor) bool { return c.name == tinyStandIn })
	}
	var kinds strings.Builder
	printTableHead(out)
	for _, t := range tasks {
		for _, c := range all {
			if o.hook && c.model != "" {
				c.modes = []string{hybrid}
			}
			samples, err := judgeIn(ctx, t, c, []int{150, 50, 15}, o.hook)
			if err != nil {
				return fmt.Errorf("judge %s on %s: %w", c.name, t.Name, err)
			}
			for _, mode := range c.modes {
				printMode(out, &kinds, t.Name, c.name, mode, samples[mode], o.hook)
			}
		}
	}
	if o.hook {
		return errors.Join(promptTable(ctx, out, all), actTable(ctx, out, all))
	}
	printKindsHead(out)
	fmt.Fprint(out, kinds.String())
	return nil
}

// promptTable judges what hooks say of the first prompt of a session, with every competitor.
func promptTable(ctx context.Context, out io.Writer, all []competitor) error {
	printHead(out, "set", "by", "documents", "prompts", "right", "only others", "unanswered, silent", "everyday, got any")
	for _, set := range promptSets() {
		t, err := promptTask(".", set.file)
		if err != nil {
			return err
		}
		for _, c := range all {
			if c.model == "" && slices.Contains(c.modes, lexical) {
				continue // a hook searches by the built-in vectors too
			}
			samples, err := judgeIn(ctx, t, c, set.sizes, true)
			if err != nil {
				return fmt.Errorf("judge prompts with %s: %w", c.name, err)
			}
			for _, s := range samples[c.modes[len(c.modes)-1]] {
				s.printPrompts(out, t.Name, c.name)
			}
		}
	}
	return nil
}

// actTable judges the hooks of what assistants do, with every competitor.
func actTable(ctx context.Context, out io.Writer, all []competitor) error {
	printActsHead(out)
	for _, set := range []string{
		"acts/seventeen", "acts/eighteen", "literal", "code", "othercode",
	} {
		t, err := actTask(folder + "/" + set)
		if err != nil {
			return err
		}
		for _, c := range all {
			samples, err := judgeIn(ctx, t, c, nil, true)
			if err != nil {
				return fmt.Errorf("judge acts with %s: %w", c.name, err)
			}
			samples[c.modes[len(c.modes)-1]][0].printActs(out, set, c.name)
		}
	}
	return nil
}

// printMode prints the rows of a competitor in one mode.
func printMode(out io.Writer, kinds *strings.Builder, task, by, mode string, samples []sample, hook bool) {
	if mode == vector {
		by += ", vectors alone"
	}
	for _, s := range samples {
		if hook {
			s.printHook(out, task, by)
		} else {
			s.printSearch(out, task, by)
		}
	}
	samples[0].printKinds(kinds, task, by)
}

// judgeIn is judge with a new database and home folder, which are removed after.
func judgeIn(ctx context.Context, t task, c competitor, sizes []int, hook bool) (samples map[string][]sample, err error) {
	home, err := os.MkdirTemp("", "cdocs-eval-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	in := mcpclient.Installation{Home: home, OllamaHost: os.Getenv(testenv.EnvOllamaHost)}
	settings := map[string]string{}
	if c.model != "" {
		settings["embedding_model"] = c.model
	} else {
		in.OllamaHost = nobody
	}
	content, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	if err := write(filepath.Join(home, "settings.json"), string(content)); err != nil {
		return nil, err
	}
	in.Program, err = filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	database, drop, err := testenv.NewDatabase(ctx, os.Getenv(testenv.EnvDatabaseURL))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop(context.WithoutCancel(ctx))) }()
	in.DatabaseURL = database
	return judge(ctx, in, t, sizes, hook, c.modes...)
}

// newTasks reads collections. None answers the questions of everyday.jsonl and other.jsonl,
// nor those of the collections outside this folder that are named beside it.
func newTasks(dirs []string) (tasks []task, err error) {
	for _, dir := range dirs {
		c, err := readCollection(dir)
		if err != nil {
			return nil, fmt.Errorf("read the collection %s: %w", dir, err)
		}
		files := []string{folder + "/everyday.jsonl", folder + "/other.jsonl"}
		for _, other := range dirs {
			if other != dir && !strings.HasPrefix(other, folder) {
				files = append(files, filepath.Join(other, "queries.jsonl"))
			}
		}
		others, err := readAllOthers(files)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task{c, others})
	}
	return tasks, nil
}

func readAllOthers(files []string) (all []query, err error) {
	for _, file := range files {
		queries, err := readOthers(file)
		if err != nil {
			return nil, fmt.Errorf("read questions: %w", err)
		}
		all = append(all, queries...)
	}
	return all, nil
}
