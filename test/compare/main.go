// Command compare asks compound-docs and other programs the questions of judged
// collections, all by words alone, and prints their nDCG@10 beside each other.
//
//	go run ./test/compare [-qmd FILE] [-basic-memory FILE] COLLECTION ...
//
// It runs in the repository's root under test/testenv/withservices. A program that is
// not given has no column. Each works with a home folder of its own.
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
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/test/mcpclient"
)

func main() {
	qmd := flag.String("qmd", "", "the program of @tobilu/qmd")
	basicMemory := flag.String("basic-memory", "", "the program of basic-memory")
	flag.Parse()
	rivals := []rival{}
	if *qmd != "" {
		rivals = append(rivals, qmdAsItIs(*qmd), qmdByWord(*qmd))
	}
	if *basicMemory != "" {
		rivals = append(rivals, basicMemoryByText(*basicMemory))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, rivals, flag.Args(), os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rivals []rival, folders []string, out io.Writer) error {
	fmt.Fprint(out, "| nDCG@10 by words | questions | compound-docs")
	for _, r := range rivals {
		fmt.Fprintf(out, " | %s", r.name)
	}
	fmt.Fprintf(out, " |\n|%s\n", strings.Repeat("---|", 3+len(rivals)))
	for _, folder := range folders {
		set, err := readSet(folder)
		if err != nil {
			return fmt.Errorf("read %s: %w", folder, err)
		}
		ours, err := ownFigure(ctx, folder)
		if err != nil {
			return fmt.Errorf("compound-docs on %s: %w", folder, err)
		}
		fmt.Fprintf(out, "| %s | %d | %s", filepath.Base(folder), len(set.Queries), figure(ours))
		for _, r := range rivals {
			theirs, err := r.judge(ctx, set)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", r.name, folder, err)
			}
			fmt.Fprintf(out, " | %s", figure(theirs))
		}
		fmt.Fprintln(out, " |")
	}
	return nil
}

func figure(e eval.Estimate) string {
	return fmt.Sprintf("%.3f (%.3f to %.3f)", e.Value, e.Low, e.High)
}

// rival is another program, which indexes a folder of markdown and is asked over MCP.
type rival struct {
	name, program string
	// folder is where in its home folder the documents are.
	folder string
	// index are the commands, each its arguments, that index the folder.
	index [][]string
	// tool is the name of its tool for searches, whose arguments are by question.
	tool      string
	arguments func(question string) map[string]any
}

// answer has the files of an answer, under the names that the programs give them. It is
// inside another one where basic-memory answers.
type answer struct {
	Results []result `json:"results"`
	Result  *answer  `json:"result"`
}

type result struct {
	File     string `json:"file"`      // qmd
	FilePath string `json:"file_path"` // basic-memory
}

// judge indexes the set and asks its questions, in a home folder that is removed after.
func (r rival) judge(ctx context.Context, set *eval.Collection) (estimate eval.Estimate, err error) {
	home, err := os.MkdirTemp("", "cdocs-compare-")
	if err != nil {
		return estimate, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	ids, err := writeDocuments(filepath.Join(home, r.folder), set.Documents)
	if err != nil {
		return estimate, err
	}
	for _, arguments := range r.index {
		if output, err := r.command(ctx, home, arguments).CombinedOutput(); err != nil {
			return estimate, fmt.Errorf("%v: %w: %s", arguments, err, output)
		}
	}
	client, err := mcpclient.StartVersion(ctx, r.command(context.WithoutCancel(ctx), home, []string{"mcp"}), "2025-06-18")
	if err != nil {
		return estimate, err
	}
	defer client.Close() //nolint:errcheck // basic-memory ends by a signal, which counts as a failure
	values := make([]float64, 0, len(set.Queries))
	for _, query := range set.Queries {
		found, err := r.ask(ctx, client, query)
		if err != nil {
			return estimate, err
		}
		ranking := []string{}
		for _, hit := range found {
			ranking = append(ranking, ids[filepath.Base(hit.File+hit.FilePath)])
		}
		values = append(values, eval.NDCG(ranking, set.Judged[query.ID], 10))
	}
	return eval.Bootstrap(values), nil
}

// ask returns what is found for a question: nothing for one that the program refuses.
func (r rival) ask(ctx context.Context, client *mcpclient.Client, query eval.Query) ([]result, error) {
	response, err := client.CallTool(ctx, &mcp.CallToolParams{Name: r.tool, Arguments: r.arguments(query.Text)})
	if err != nil {
		return nil, fmt.Errorf("ask question %s: %w", query.ID, err)
	}
	content, err := json.Marshal(response.StructuredContent)
	if err != nil {
		return nil, fmt.Errorf("read the answer to question %s: %w", query.ID, err)
	}
	var found answer
	if response.IsError || json.Unmarshal(content, &found) != nil {
		fmt.Fprintf(os.Stderr, "%s refuses question %s\n", r.name, query.ID)
		return nil, nil //nolint:nilerr // it finds nothing then
	}
	if found.Result != nil {
		found = *found.Result
	}
	return found.Results, nil
}

func (r rival) command(ctx context.Context, home string, arguments []string) *exec.Cmd {
	command := exec.CommandContext(ctx, r.program, arguments...)
	command.Dir = home
	command.Env = append(os.Environ(), "HOME="+home)
	return command
}
