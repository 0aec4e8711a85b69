// Command judge runs "compound-docs eval" on the sets of test/eval, and on other
// collections, by words and with each embedding model at hand, and prints the figures
// beside each other.
//
//	go run ./test/eval/judge [-hook] [-model FILE.gguf ...] [COLLECTION ...]
//
// With -hook it judges what the hook of a prompt adds instead, as an assistant gets it.
// It runs in the repository's root under test/testenv/withservices. The models in the
// files, and all-minilm if Ollama has it, are judged beside the project's own: by vectors
// alone, and by words and vectors. The rarest words of questions are asked as keywords
// too. Vectors are kept in the user's cache folder by the digest of their model, so that
// a second run takes no time for them.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func main() {
	var models []string
	flag.Func("model", "file of an embedding model in the form GGUF; may be repeated", func(file string) error {
		models = append(models, file)
		return nil
	})
	hook := flag.Bool("hook", false, "judge what the hook of a prompt adds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, models, flag.Args(), *hook, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

const (
	program = "bin/compound-docs"
	folder  = "test/eval"
)

// everyday is the kind of the questions in everyday.jsonl.
const everyday = "everyday"

// competitor names a way to search: by words alone if it has no model.
type competitor struct {
	name, model string
	mode        rag.Mode
}

func run(ctx context.Context, models, collections []string, hook bool, out io.Writer) (err error) {
	ollama, err := url.Parse(os.Getenv(testenv.EnvOllamaHost))
	if err != nil {
		return fmt.Errorf("%s: %w", testenv.EnvOllamaHost, err)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("find a folder for vectors: %w", err)
	}
	vectors := newVectorCache(ollama, filepath.Join(caches, "compound-docs", "eval"))
	host, stop, err := vectors.serve(ctx, ollama)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	competitors, err := vectors.competitors(ctx, models)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "cdocs-judge-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	tasks, err := newTasks(append([]string{filepath.Join(folder, "corpus"), filepath.Join(folder, "literal")}, collections...), home)
	if err != nil {
		return err
	}
	judge := competitor.judge
	if hook {
		judge = competitor.judgeHook
		tasks = slices.DeleteFunc(tasks, func(t task) bool { return len(t.others) == 0 })
		competitors = slices.DeleteFunc(competitors, func(c competitor) bool { return c.mode == rag.Vector || c.name == tinyStandIn })
		printHookHead(out)
	} else {
		printHead(out)
	}
	for _, task := range tasks {
		for _, c := range competitors {
			show, err := judge(c, ctx, task, home, host)
			if err != nil {
				return fmt.Errorf("judge %s on %s: %w", c.name, task.name, err)
			}
			show(out, task.name, c)
			if err := vectors.save(); err != nil { // a run that is stopped is not in vain
				return err
			}
		}
	}
	return nil
}

// task is a collection, and files of questions that it does not answer.
type task struct {
	name, folder string
	others       []string
	part         part // of the collection that a hook is asked about
}

// newTasks returns those of the sets: as they are, and with the rarest words of their
// questions, except where few of them are questions.
func newTasks(sets []string, home string) (tasks []task, err error) {
	for _, set := range sets {
		tasks = append(tasks, task{name: filepath.Base(set), folder: set, others: others(set, sets)})
		if set == filepath.Join(folder, "literal") {
			continue
		}
		for _, words := range []int{2, 3} {
			keywords, err := writeKeywords(set, home, words)
			if err != nil {
				return nil, fmt.Errorf("make keywords of the questions of %s: %w", set, err)
			}
			tasks = append(tasks, task{name: fmt.Sprintf("%s, %d keywords", filepath.Base(set), words), folder: keywords})
		}
	}
	return tasks, nil
}

// others are the files of questions that the set does not answer: those of the folder,
// and the questions of the collections that were named.
func others(set string, sets []string) []string {
	files := []string{filepath.Join(folder, "everyday.jsonl"), filepath.Join(folder, "other.jsonl")}
	for _, other := range sets {
		if other != set && !strings.HasPrefix(other, folder) {
			files = append(files, filepath.Join(other, "queries.jsonl"))
		}
	}
	return files
}

// configure writes settings that name the model into a home folder.
func (c competitor) configure(home string) error {
	settings := map[string]string{}
	if c.model != "" {
		settings["embedding_model"] = c.model
	}
	content, err := json.Marshal(settings)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	return os.WriteFile(filepath.Join(home, "settings.json"), content, 0o600)
}

// show prints rows of a table.
type show func(out io.Writer, set string, by competitor)

// judge runs the program's evaluation with a home folder whose settings name the model.
func (c competitor) judge(ctx context.Context, t task, home, host string) (show, error) {
	arguments := []string{"eval", "--json", "--corpus", t.folder, "--mode", string(c.mode)}
	if c.mode == rag.Vector {
		arguments = append(arguments, "--sizes", "0") // it is there for its ranking
	}
	for _, file := range t.others {
		arguments = append(arguments, "--others", file)
	}
	if err := c.configure(home); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env = append(os.Environ(), "CDOCS_HOME="+home, "CDOCS_OLLAMA_HOST="+host,
		"CDOCS_DATABASE_URL="+os.Getenv(testenv.EnvDatabaseURL))
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	var r report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil { //nolint:musttag // its keys are these names
		return nil, fmt.Errorf("read the report: %w", err)
	}
	return r.print, nil
}
