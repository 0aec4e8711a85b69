package tools

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/recall"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// RecallInput has the parameters of recall.
type RecallInput = recall.Event

// RecallOutput is the answer of recall.
type RecallOutput = recall.Answer

func recallTool() Tool {
	return newTool((*Handler).Recall, &mcp.Tool{
		Name:        "recall",
		Title:       "Recall",
		Description: "For hooks: one line about the document that a prompt, command, failure or edit needs, or silence.",
		Meta:        searchHint("called by hooks, not by the model"),
		Annotations: readOnly(),
		InputSchema: inputSchema[RecallInput](map[string][]property{
			"event": {
				oneOf(recall.Prompt, recall.Before, recall.After, recall.Failure, recall.Started, recall.Compact), example(recall.Prompt),
			},
			"session_id": {notEmpty, example("3f2c")},
			"prompt":     {example("why is the pool exhausted?")},
			"tool_name":  {example("Edit")},
			"file_path":  {example("db/pool.go")},
			"command":    {example("rm -rf build")},
			"new_string": {example("pool.Close()")},
			"content":    {example("package db")},
			"error":      {example("Exit code 1")},
			"agent_type": {example("Explore")},
		}),
		OutputSchema: outputSchema[RecallOutput](nil),
	})
}

// recallPatience bounds what a hook waits for: an assistant waits for its hooks.
const recallPatience = time.Second

// Recall answers a hook. It never fails: what goes wrong is logged, and the answer is
// silence.
func (h *Handler) Recall(ctx context.Context, in RecallInput) (RecallOutput, error) {
	if h.hangs() {
		return RecallOutput{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, recallPatience)
	defer cancel()
	out, err := h.recall(ctx, in)
	if err != nil {
		h.noteHang(ctx, err)
		h.logger.DebugContext(ctx, "recall is silent", "event", in.Event, "error", err)
		return RecallOutput{}, nil
	}
	return out, nil
}

// recall returns what to tell the assistant.
func (h *Handler) recall(ctx context.Context, in RecallInput) (RecallOutput, error) {
	act := in.Act()
	if act == recall.Compacting {
		return RecallOutput{}, h.recalls.Update(in.SessionID, func(s *recall.Session) error {
			s.Compact()
			return nil
		})
	}
	active, err := h.workspace.ActiveWithin(ctx)
	if err != nil {
		return RecallOutput{}, err
	}
	allowed := h.workspace.Recall(active)
	if allowed == project.RecallOff || act == recall.Nothing || act != recall.Asking && allowed == project.RecallPrompt {
		return RecallOutput{}, nil
	}
	candidates, searchErr := h.candidates(ctx, active, in)
	var chosen recall.Candidate
	var text string
	err = h.recalls.Update(in.SessionID, func(s *recall.Session) error {
		s.Calls++
		chosen, text = recall.Choose(s, active.Definition.Root, in, candidates, time.Now())
		text = noteAct(s, active, in, text, allowed != project.RecallPrompt)
		return nil
	})
	if err != nil || text == "" {
		return RecallOutput{}, errors.Join(err, searchErr)
	}
	hook := &recall.Output{Event: in.Event, Context: plain.Hook(text)}
	if allowed == project.RecallGuard && chosen.Level == catalog.Critical && (act == recall.Running || act == recall.Writing) {
		hook = &recall.Output{Event: in.Event, Decision: "deny", Reason: plain.Hook(text + recall.Guarded)}
	}
	out := RecallOutput{Hook: hook}
	if h.workspace.RecallVisible() {
		out.Message = plain.Hook(text)
	}
	return out, nil
}

// candidates returns the documents that an event may need, best first.
func (h *Handler) candidates(ctx context.Context, active *workspace.Project, in RecallInput) ([]recall.Candidate, error) {
	query := rag.Query{
		Limit: recallCandidates, MinScore: h.workspace.RecallThreshold(), Unasked: true, Patience: recallEmbedding,
	}
	switch in.Act() {
	case recall.Asking, recall.Delegating:
		query.Text = in.Prompt
		return h.recallFor(ctx, active, query, "answers this")
	case recall.Running:
		return h.speaking(ctx, active, active.OnCommand(ctx, in.Command), "same command")
	case recall.Failing:
		query.Text, query.Lines, query.Mode = in.Output(), true, rag.Lexical
		found, err := h.speaking(ctx, active, active.OnOutput(ctx, in.Output()), "same error")
		if err == nil && len(found) == 0 {
			found, err = h.recallFor(ctx, active, query, "same error")
		}
		for i := range found {
			found[i].Remedy = remedy(active, found[i].Path)
		}
		return found, err
	case recall.Writing:
		return h.forFile(ctx, active, in)
	default:
		return nil, nil
	}
}

const (
	// recallCandidates are searched for, of which the first that the session does not
	// know is shown.
	recallCandidates = 3
	// recallEmbedding is how long the vector of a prompt is waited for.
	recallEmbedding = 300 * time.Millisecond
)

// recallFor searches for a text.
func (h *Handler) recallFor(
	ctx context.Context, active *workspace.Project, query rag.Query, why string,
) ([]recall.Candidate, error) {
	if query.Text = markdown.CutRunes(query.Text, maxQuery); strings.TrimSpace(query.Text) == "" {
		return nil, nil
	}
	stale := active.Stale(ctx)
	var found []recall.Candidate
	for _, scope := range h.workspace.RecallScopes(ctx, active) {
		hits, err := h.workspace.Searcher().Search(ctx, scope, query)
		if err != nil {
			return nil, err
		}
		for _, hit := range hits.Documents {
			c := recall.Candidate{Hit: hit, Why: why}
			switch {
			case recall.IsListing(hit.Content):
				continue
			case hit.Phrase > 0:
				c.Why = "same name or error"
			}
			found = append(found, withNotes(active, scope, stale(), c))
		}
	}
	return found, nil
}

// withNotes says what may be wrong with a document.
func withNotes(active *workspace.Project, scope catalog.Scope, stale map[string]string, c recall.Candidate) recall.Candidate {
	if scope.Collection == catalog.Handbook {
		return c
	}
	if stale[c.Path] != "" && scope.Collection == catalog.Compounding {
		c.Notes = " It may be outdated: places that it cites have changed."
	}
	if active.Outdated(scope.Collection, []rag.Hit{c.Hit}) > 0 {
		c.Notes += " It has changed since it was indexed: its lines may be others."
	}
	return c
}

// speaking returns documents that speak of a command or a text, with the passages that do.
func (h *Handler) speaking(
	ctx context.Context, active *workspace.Project, citations []workspace.Citation, why string,
) ([]recall.Candidate, error) {
	stale := active.Stale(ctx)
	var found []recall.Candidate
	for _, c := range citations[:min(len(citations), recallCandidates)] {
		why := why
		switch {
		case c.Match.Text == "":
			why = "cites " + c.Place.Path
		case c.Match.Name:
			why = "same name"
		}
		hits, err := h.bestPassage(ctx, active, c, cmp.Or(c.Match.Text, c.Title))
		if err != nil {
			return nil, err
		}
		for _, hit := range hits {
			hit.Score = 1 // it was not found by the search
			found = append(found, withNotes(active, active.Compounding(), stale(), recall.Candidate{Hit: hit, Why: why}))
		}
	}
	return found, nil
}

// bestPassage returns the passage of a document that has most of a text's words, if one has any.
func (h *Handler) bestPassage(
	ctx context.Context, active *workspace.Project, c workspace.Citation, text string,
) ([]rag.Hit, error) {
	hits, err := h.workspace.Searcher().Search(ctx, active.Compounding(), rag.Query{
		Text: markdown.CutRunes(text, maxQuery), Mode: rag.Lexical, Limit: 1, EachPassage: true,
		Filter: rag.Filter{Documents: []int64{c.ID}},
	})
	return hits.Documents, err
}

// forFile returns the documents that cite a file which is about to be edited, and those that warn of the
// text that is written.
func (h *Handler) forFile(ctx context.Context, active *workspace.Project, in RecallInput) ([]recall.Candidate, error) {
	name, inside := relativePath(active.Definition.Root, in.FilePath)
	if !inside || isOwn(active, name) {
		return nil, nil
	}
	var found []recall.Candidate
	for _, c := range active.Citing(ctx, document.Place{Path: name}) {
		found = append(found, recall.Candidate{
			Hit: rag.Hit{Path: c.Path, Title: c.Title, Level: c.Level, Score: 1}, Why: "same file",
			Text: recall.Citing(c.Path, c.Title, c.Place.String()),
		})
	}
	if text := in.Written(); text != "" {
		rules, err := h.supported(ctx, active, active.OnText(ctx, text), name+"\n"+text)
		if err != nil {
			return nil, err
		}
		warning, err := h.speaking(ctx, active, rules, "rule on this code")
		return append(found, warning...), err
	}
	return found, nil
}

// leastSupport is the share of a text's other words that a document has which warns of one of its names, and
// moreSupport of one that has the name in its title.
const leastSupport, moreSupport = .05, .1

// supported returns the documents of which a text has several quotes, or one that the document warns of, with
// other words of the document.
func (h *Handler) supported(
	ctx context.Context, active *workspace.Project, citations []workspace.Citation, text string,
) (supported []workspace.Citation, err error) {
	for _, c := range citations[:min(len(citations), recallCandidates)] {
		if c.Match.Weight > 1 {
			supported = append(supported, c)
			continue
		}
		least := leastSupport
		if c.Match.Weight < 1 {
			least = moreSupport
		}
		rest := strings.ReplaceAll(text, strings.TrimSuffix(c.Match.Text, "()"), " ")
		hits, err := h.bestPassage(ctx, active, c, rest)
		if err != nil {
			return nil, err
		}
		if len(hits) > 0 && hits[0].Share > least {
			supported = append(supported, c)
		}
	}
	return supported, nil
}

func isOwn(active *workspace.Project, name string) bool {
	return strings.HasPrefix(name, active.Definition.DocsDir()+"/")
}

// remedy returns the solution or the root cause in a document's front matter, "" without one.
func remedy(active *workspace.Project, path string) string {
	file, err := active.Read(path)
	if err != nil {
		return ""
	}
	parsed, err := markdown.ParseAny(file.Content)
	if err != nil {
		return ""
	}
	for _, field := range []string{"solution", "root_cause"} {
		if text, ok := parsed.FrontMatter[field].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// noteAct keeps in the session what the event says, and returns what to say: the pointer, or what is due
// without one.
func noteAct(s *recall.Session, active *workspace.Project, in RecallInput, pointer string, reminds bool) string {
	switch in.Act() {
	case recall.Asking:
		if pointer == "" && reminds && s.RemindDue {
			s.RemindDue = false
			return recall.Reminder
		}
	case recall.Reading, recall.Writing:
		name, inside := relativePath(active.Definition.Root, in.FilePath)
		switch {
		case !inside || !isOwn(active, name):
		case in.Act() == recall.Reading:
			s.Open(active.Definition.Root, name)
		default:
			s.Wrote, s.RemindDue = true, false
		}
	case recall.Failing:
		s.Fail(in.Command)
	case recall.Succeeding:
		if s.Succeed(in.Command) && !s.Asked && !s.Wrote {
			s.Asked = true
			return recall.Solved
		}
	case recall.Delegating:
		s.Delegate(recall.Task{Agent: in.Agent, Text: recall.ForSubagent(pointer)})
		return ""
	case recall.Beginning:
		return s.Begin(in.Agent)
	default:
	}
	return pointer
}

// relativePath returns the path of a file in the repository, and false for one outside.
func relativePath(root, file string) (string, bool) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
	}
	if resolved, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(resolved, filepath.Base(file))
	}
	name, err := filepath.Rel(root, file)
	return filepath.ToSlash(name), err == nil && filepath.IsLocal(name) && name != "."
}
