package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// hookReport counts what the hook of a prompt adds to prompts of each kind.
type hookReport struct {
	// documents is how many the project has, of those of the whole collection.
	documents, whole int
	// everyday prompts and others, questions without an answer: how many got a document.
	everyday, others count
	// right are the questions that a search answers with the right document first: how
	// many got a relevant one. wrong are all questions that have an answer: how many got
	// another document.
	right, wrong count
}

// count is how many of those that were asked got a document.
type count struct{ got, asked int }

func (c *count) add(got bool) {
	c.asked++
	if got {
		c.got++
	}
}

func (c *count) share() float64 { return float64(c.got) / float64(max(c.asked, 1)) }

// askHook makes a project of the collection, starts the program in it, and asks recall for
// each question in a session of its own.
func askHook(ctx context.Context, t task, mode rag.Mode, in mcpclient.Installation) (r hookReport, err error) {
	collection, err := makeProject(t.folder, in.Root)
	if err != nil {
		return hookReport{}, err
	}
	whole := len(collection.Documents)
	if err := t.part.draw(collection, in.Root); err != nil {
		return hookReport{}, err
	}
	client, err := mcpclient.Start(ctx, in.Command("serve", "--log-level", "error"))
	if err != nil {
		return hookReport{}, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if err := activate(ctx, client, in.Config(), mode); err != nil {
		return hookReport{}, err
	}
	r.documents, r.whole = len(collection.Documents), whole
	if err := r.askOwn(ctx, client, collection, mode); err != nil {
		return hookReport{}, err
	}
	for _, file := range t.others {
		queries, err := eval.ReadOthers(file)
		if err != nil {
			return hookReport{}, err
		}
		for i, query := range queries {
			if !t.part.has(i) {
				continue
			}
			got, err := pointedTo(ctx, client, query)
			if err != nil {
				return hookReport{}, err
			}
			if query.Kind == everyday {
				r.everyday.add(got != "")
			} else {
				r.others.add(got != "")
			}
		}
	}
	return r, nil
}

// askOwn asks the questions of the collection.
func (r *hookReport) askOwn(ctx context.Context, client *mcpclient.Client, c *eval.Collection, mode rag.Mode) error {
	for _, query := range c.Queries {
		judged := c.Judged[query.ID]
		if len(judged) == 0 && query.Kind == "" {
			continue // of another part of the collection
		}
		first, err := firstFound(ctx, client, query.Text, mode)
		if err != nil {
			return fmt.Errorf("search for %s: %w", query.ID, err)
		}
		got, err := pointedTo(ctx, client, query)
		if err != nil {
			return err
		}
		if len(judged) == 0 {
			r.others.add(got != "")
			continue
		}
		if judged[first] > 0 {
			r.right.add(judged[got] > 0)
		}
		r.wrong.add(got != "" && judged[got] <= 0)
	}
	return nil
}

// add adds the counts of a project of the same size.
func (r *hookReport) add(other hookReport) {
	r.documents = other.documents
	for to, from := range map[*count]count{
		&r.everyday: other.everyday, &r.others: other.others, &r.right: other.right, &r.wrong: other.wrong,
	} {
		to.got, to.asked = to.got+from.got, to.asked+from.asked
	}
}

// nobody is an address at which nothing listens.
const nobody = "http://127.0.0.1:1"

// judgeHook asks the hook in projects of the whole collection and of each size.
func (c competitor) judgeHook(ctx context.Context, t task, home, host string) (show, error) {
	whole, err := c.judgePart(ctx, t, home, host)
	if err != nil {
		return nil, err
	}
	reports := []hookReport{whole}
	for _, size := range []int{150, 50, 15} {
		var sum hookReport
		for _, t.part = range parts(size, whole.whole) {
			r, err := c.judgePart(ctx, t, home, host)
			if err != nil {
				return nil, err
			}
			sum.add(r)
		}
		if sum.documents > 0 {
			reports = append(reports, sum)
		}
	}
	return func(w io.Writer, set string, by competitor) {
		for _, r := range reports {
			r.print(w, set, by)
		}
	}, nil
}

// judgePart asks the hook in a database of its own.
func (c competitor) judgePart(ctx context.Context, t task, home, host string) (r hookReport, err error) {
	folder, err := os.MkdirTemp(home, "hook-")
	if err != nil {
		return hookReport{}, err
	}
	if err := c.configure(folder); err != nil {
		return hookReport{}, err
	}
	database, drop, err := testenv.NewDatabase(ctx, os.Getenv(testenv.EnvDatabaseURL))
	if err != nil {
		return hookReport{}, err
	}
	defer func() { err = errors.Join(err, drop(context.WithoutCancel(ctx))) }()
	if c.mode == rag.Lexical {
		host = nobody
	}
	executable, err := filepath.Abs(program)
	if err != nil {
		return hookReport{}, err
	}
	return askHook(ctx, t, c.mode, mcpclient.Installation{
		Program: executable, Root: filepath.Join(folder, "project"), Home: folder, DatabaseURL: database, OllamaHost: host,
	})
}

// activate waits for the vectors too, unless documents are found by words alone.
func activate(ctx context.Context, client *mcpclient.Client, config string, mode rag.Mode) error {
	if mode != rag.Lexical {
		return client.Activate(ctx, config, "main")
	}
	return client.Call(ctx, "activate_project", map[string]any{"config_path": config, "branch_name": "main"}, nil)
}

// firstFound returns the document that a search finds first, "" for none.
func firstFound(ctx context.Context, client *mcpclient.Client, text string, mode rag.Mode) (string, error) {
	var answer struct {
		Results []struct{ Path string }
	}
	err := client.Call(ctx, "semantic_search", map[string]any{
		"query": text, "limit": 1, "min_relevance_score": 0, "mode": mode,
	}, &answer)
	failure, ok := errors.AsType[*mcpclient.ToolError](err)
	if ok && failure.Code == "INVALID_ARGUMENT" || err == nil && len(answer.Results) == 0 {
		return "", nil // of stop words
	}
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(answer.Results[0].Path, "./"), nil
}

// pointer is how recall names a document.
var pointer = regexp.MustCompile(`: \./(.+?):\d+-\d+ "`)

// pointedTo returns the document that a prompt in a new session gets, "" for none.
func pointedTo(ctx context.Context, client *mcpclient.Client, query eval.Query) (string, error) {
	text, err := client.Text(ctx, "recall", map[string]any{
		"event": "UserPromptSubmit", "session_id": "judge " + query.ID, "prompt": query.Text,
	})
	if err != nil || text == "{}" {
		return "", err
	}
	found := pointer.FindStringSubmatch(strings.ReplaceAll(text, `\"`, `"`))
	if found == nil {
		return "", fmt.Errorf("recall names no document: %s", text)
	}
	return found[1], nil
}

// printHookHead prints the head of the table of hooks.
func printHookHead(w io.Writer) {
	columns := []string{"set", "by", "documents", "right first, got it", "everyday, got any", "others, got any", "got a wrong one"}
	printRow(w, columns...)
	printRow(w, "---", "---", "---", "---", "---", "---", "---")
}

func (r *hookReport) print(w io.Writer, set string, by competitor) {
	row := []string{set, by.name, strconv.Itoa(r.documents)}
	for _, c := range []*count{&r.right, &r.everyday, &r.others, &r.wrong} {
		row = append(row, fmt.Sprintf("%.3f of %d", c.share(), c.asked))
	}
	printRow(w, row...)
}
