package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// The modes of a search.
const (
	lexical = "lexical"
	vector  = "vector"
	hybrid  = "hybrid"
)

// result is the outcome of a question.
type result struct { //nolint:recvcheck // filled through a pointer, and read by value
	question

	// ranking has the paths of the documents, best first.
	ranking []string
	// firstScore is the score of the first document. topScore is the highest, which another
	// one has if the first one is promoted. Both are 0 without a document.
	firstScore, topScore float64
	// pointed is the first document that a hook points to, "" for none, and listed are all of them. tokens are about
	// what the hook adds, and took is how long it was waited for.
	pointed string
	listed  []string
	tokens  int
	took    time.Duration
}

func (r result) ndcg() float64     { return ndcg(r.ranking, r.judged, 10) }
func (r result) recall10() float64 { return recall(r.ranking, r.judged, 10) }
func (r result) rank10() float64   { return reciprocalRank(r.ranking, r.judged, 10) }

// inFive is 1 if one of the first five documents is relevant.
func (r result) inFive() float64 { return math.Ceil(reciprocalRank(r.ranking, r.judged, 5)) }

// right reports whether the first document is relevant.
func (r result) right() bool { return len(r.ranking) > 0 && r.judged[r.ranking[0]] > 0 }

// first is 1 if the first document is relevant.
func (r result) first() float64 {
	if r.right() {
		return 1
	}
	return 0
}

// sample has the results in projects of one size.
type sample struct {
	documents, projects int  // documents of each project
	whole               bool // the projects have all documents
	results             []result
}

// judge starts the program, activates projects of all documents and of each size, and asks
// every question in each mode. With hook it asks the hook of a prompt too. It returns the
// samples of each mode, that of all documents first.
func judge(
	ctx context.Context, in mcpclient.Installation, t task, sizes []int, hook bool, modes ...string,
) (samples map[string][]sample, err error) {
	in.Root = in.Home
	client, err := mcpclient.Start(ctx, in.Command("serve", "--log-level", "error"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	samples = map[string][]sample{}
	for _, size := range append([]int{0}, sizes...) {
		projects, err := t.makeProjects(in.Home, size)
		if err != nil {
			return nil, err
		}
		for _, mode := range modes {
			if mode == vector && size > 0 {
				continue // vectors alone are judged for their ranking of all documents
			}
			of, err := sampleOf(ctx, client, projects, mode, hook, in.OllamaHost == nobody)
			if err != nil {
				return nil, err
			}
			of.whole = size == 0
			if of.projects > 0 {
				samples[mode] = append(samples[mode], of)
			}
		}
	}
	return samples, nil
}

// sampleOf asks the questions of each project in one mode.
func sampleOf(
	ctx context.Context, client *mcpclient.Client, projects []checkout, mode string, hook, serverless bool,
) (sample, error) {
	of := sample{projects: len(projects)}
	for _, p := range projects {
		of.documents = p.documents
		if err := activate(ctx, client, p.config(), serverless); err != nil {
			return sample{}, err
		}
		for _, q := range p.questions {
			r := result{question: q}
			if !isAct(q.Kind) {
				if err := r.ask(ctx, client, mode); err != nil {
					return sample{}, fmt.Errorf("ask %s: %w", q.ID, err)
				}
			}
			if hook {
				if err := r.askHook(ctx, client, filepath.Base(p.root)+" "+q.ID); err != nil {
					return sample{}, fmt.Errorf("ask the hook %s: %w", q.ID, err)
				}
			}
			of.results = append(of.results, r)
		}
	}
	return of, nil
}

// activate waits for the texts of all documents, and for their vectors unless there is no model server.
func activate(ctx context.Context, client *mcpclient.Client, config string, serverless bool) error {
	if !serverless {
		return client.Activate(ctx, config, "main")
	}
	err := client.Call(ctx, "activate_project", map[string]any{"config_path": config, "branch_name": "main"}, nil)
	if err != nil {
		return err
	}
	return client.WaitForText(ctx)
}

// ask searches for ten documents. A question of stop words alone finds nothing by words.
func (r *result) ask(ctx context.Context, client *mcpclient.Client, mode string) error {
	var answer struct {
		Results []struct {
			Path  string  `json:"path"`
			Score float64 `json:"relevance_score"`
		} `json:"results"`
	}
	err := client.Call(ctx, "semantic_search", map[string]any{
		"query": r.Text, "limit": 10, "min_relevance_score": 0, "mode": mode,
	}, &answer)
	if failure, ok := errors.AsType[*mcpclient.ToolError](err); ok && failure.Code == "INVALID_ARGUMENT" {
		return nil
	}
	for i, found := range answer.Results {
		r.ranking = append(r.ranking, strings.TrimPrefix(found.Path, "./"))
		r.topScore = max(r.topScore, found.Score)
		if i == 0 {
			r.firstScore = found.Score
		}
	}
	return err
}

// The kinds of what assistants do, and of what they do every day.
const (
	command         = "command"
	everydayCommand = "everyday command"
	edit            = "edit"
	everydayEdit    = "everyday edit"
	knownFailure    = "failure"
	unknownFailure  = "unknown failure"
	code            = "code"
	everydayCode    = "everyday code"
)

func isAct(kind string) bool {
	acts := []string{command, everydayCommand, edit, everydayEdit, knownFailure, unknownFailure, code, everydayCode}
	return slices.Contains(acts, kind) || isFirst(kind)
}

// The kinds of prompts that are the first of a session.
const (
	firstTask     = "task"
	otherTask     = "other task"
	titled        = "title in a prompt"
	otherTitle    = "no title"
	firstEveryday = "everyday first"
)

func isFirst(kind string) bool {
	return slices.Contains([]string{firstTask, otherTask, titled, otherTitle, firstEveryday}, kind)
}

// event is how a hook tells of a question's text. What is printed by a program is a failure, if the set asks
// for that.
func event(q query) map[string]any {
	switch q.Kind {
	case command, everydayCommand:
		return map[string]any{"event": "PreToolUse", "tool_name": "Bash", "command": q.Text}
	case edit, everydayEdit:
		return map[string]any{"event": "PreToolUse", "tool_name": "Write", "file_path": q.File, "content": q.Text}
	case code, everydayCode:
		return map[string]any{"event": "PreToolUse", "tool_name": "Read", "file_path": q.File}
	case unknownFailure, knownFailure:
		return map[string]any{"event": "PostToolUseFailure", "tool_name": "Bash", "command": "any", "error": q.Text}
	default:
		return map[string]any{"event": "UserPromptSubmit", "prompt": q.Text}
	}
}

// pointer is how recall names a document.
var pointer = regexp.MustCompile(`[:;] \./(.+?)(?::\d+-\d+)? "`)

// earlier is a task that no document answers. After it a session has had its shortlist.
const earlier = "Please paint the fence of the garden green, trim the hedge beside the gate, " +
	"water the tomatoes in the greenhouse twice, and rake the leaves below both cherry trees before dusk."

// askHook asks the hook in a new session, whose first prompt was another one unless the kind is of first prompts.
func (r *result) askHook(ctx context.Context, client *mcpclient.Client, session string) error {
	// On a machine that is busy recall gives up after a second, and keeps silent for a while, each time twice as long.
	const patience, longest = time.Second, time.Minute
	recall := func(in map[string]any) (text string, err error) {
		in["session_id"] = session
		for pause := 3 * time.Second; ; pause *= 2 {
			began := time.Now()
			text, err = client.Text(ctx, "recall", in)
			r.took = time.Since(began)
			if r.took < patience || pause > longest {
				return text, err
			}
			time.Sleep(pause)
		}
	}
	if !isAct(r.Kind) {
		text, err := recall(map[string]any{"event": "UserPromptSubmit", "prompt": earlier})
		if err != nil || text != "{}" {
			return fmt.Errorf("want silence about another task, got %s, %w", text, err)
		}
	}
	text, err := recall(event(r.query))
	if err != nil || text == "{}" {
		return err
	}
	const charactersPerToken = 4
	r.tokens = len(text) / charactersPerToken
	for _, found := range pointer.FindAllStringSubmatch(strings.ReplaceAll(text, `\"`, `"`), -1) {
		r.listed = append(r.listed, found[1])
	}
	if len(r.listed) == 0 {
		return fmt.Errorf("recall names no document: %s", text)
	}
	r.pointed = r.listed[0]
	return nil
}
