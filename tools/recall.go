package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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

// The events of an assistant that recall answers.
const (
	promptEvent  = "UserPromptSubmit"
	toolEvent    = "PreToolUse"
	compactEvent = "PreCompact"
)

// RecallInput has the parameters of recall.
type RecallInput struct {
	Event     string `json:"event"`
	SessionID string `json:"session_id"`
	Prompt    string `json:"prompt,omitempty"`
	ToolName  string `json:"tool_name,omitempty"`
	FilePath  string `json:"file_path,omitempty"`
}

// RecallOutput is the answer of recall.
type RecallOutput struct {
	Hook *hookOutput `json:"hookSpecificOutput,omitempty"`
}

// hookOutput is what Claude Code and others read of a hook's output.
type hookOutput struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

func recallTool() Tool {
	return newTool((*Handler).Recall, &mcp.Tool{
		Name:        "recall",
		Title:       "Recall",
		Description: "For hooks: points to the one document that a prompt or an edit needs, and is silent unless sure.",
		Meta:        searchHint("called by hooks, not by the model"),
		Annotations: readOnly(),
		InputSchema: inputSchema[RecallInput](map[string][]property{
			"event":      {oneOf(promptEvent, toolEvent, compactEvent), example(promptEvent)},
			"session_id": {notEmpty, example("3f2c")},
			"prompt":     {example("why is the pool exhausted?")},
			"tool_name":  {example("Edit")},
			"file_path":  {example("db/pool.go")},
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
	text, err := h.recallText(ctx, in)
	if err != nil {
		h.noteHang(ctx, err)
		h.logger.DebugContext(ctx, "recall is silent", "event", in.Event, "error", err)
	}
	if err != nil || text == "" {
		return RecallOutput{}, nil
	}
	return RecallOutput{&hookOutput{Event: in.Event, Context: plain.Hook(text)}}, nil
}

// recallText returns what to tell the assistant, "" for nothing.
func (h *Handler) recallText(ctx context.Context, in RecallInput) (string, error) {
	if in.Event == compactEvent {
		return "", h.recalls.Update(in.SessionID, func(s *recall.Session) error {
			s.Compact()
			return nil
		})
	}
	active, err := h.workspace.ActiveWithin(ctx)
	if err != nil {
		return "", err
	}
	allowed, threshold := h.workspace.Recall(active)
	switch {
	case allowed == project.RecallOff, in.Event != promptEvent && allowed != project.RecallAll:
		return "", nil
	case in.Event == promptEvent:
		return h.recallForPrompt(ctx, active, in, threshold, allowed == project.RecallAll)
	default:
		return h.recallForFile(ctx, active, in)
	}
}

// recallForPrompt points to the document that surely answers a prompt. Without one it returns
// the reminder that is due after a compaction, if reminds is set.
func (h *Handler) recallForPrompt(
	ctx context.Context, active *workspace.Project, in RecallInput, threshold float64, reminds bool,
) (text string, err error) {
	stale := active.Stale(ctx)
	hits, err := h.recalled(ctx, active, in.Prompt, threshold)
	if err != nil {
		return "", err
	}
	err = h.recalls.Update(in.SessionID, func(s *recall.Session) error {
		for _, hit := range hits {
			if hit.SupersededBy != "" || s.Knows(active.Definition.Root, hit.Path) {
				continue
			}
			why, notes := "answers this", ""
			if hit.Phrase > 0 {
				why = "same name or error"
			}
			if stale()[hit.Path] != "" {
				notes = " It may be outdated: places that it cites have changed."
			}
			if active.Outdated(hit.of, []rag.Hit{hit.Hit}) > 0 {
				notes += " It has changed since it was indexed: its lines may be others."
			}
			if text = pointer(hit.Hit, why, notes); text != "" {
				note(s, active, in.Event, hit.Path, why, hit.Score)
				break
			}
		}
		if text == "" && reminds && s.RemindDue {
			s.RemindDue, text = false, reminder
		}
		return nil
	})
	return text, err
}

// recalledHit is a document that surely answers a prompt.
type recalledHit struct {
	rag.Hit

	of catalog.Collection
}

// recalled searches the project's own documents, and external docs that are taken as such.
func (h *Handler) recalled(
	ctx context.Context, active *workspace.Project, prompt string, threshold float64,
) ([]recalledHit, error) {
	if strings.TrimSpace(prompt) == "" {
		return nil, nil
	}
	scopes := []catalog.Scope{active.Compounding()}
	if active.Definition.Config.ExternalAsOwn() {
		scopes = append(scopes, active.External())
	}
	var recalled []recalledHit
	for _, scope := range scopes {
		found, err := h.workspace.Searcher().Search(ctx, scope, rag.Query{
			Text: markdown.CutRunes(prompt, maxQuery), Limit: recallCandidates, MinScore: threshold,
			Unasked: true, Patience: recallEmbedding,
		})
		if err != nil {
			return nil, err
		}
		for _, hit := range found.Documents {
			recalled = append(recalled, recalledHit{hit, scope.Collection})
		}
	}
	return recalled, nil
}

const (
	// recallCandidates are searched for, of which the first that the session does not
	// know is shown.
	recallCandidates = 3
	// recallEmbedding is how long the vector of a prompt is waited for.
	recallEmbedding = 300 * time.Millisecond
)

// recallForFile points to the document that cites a file which is about to be edited, and
// notes which documents are read and written.
func (h *Handler) recallForFile(ctx context.Context, active *workspace.Project, in RecallInput) (text string, err error) {
	name, inside := relativePath(active.Definition.Root, in.FilePath)
	if !inside {
		return "", nil
	}
	own := strings.HasPrefix(name, active.Definition.DocsDir()+"/")
	var citing []workspace.Citation
	if !own && in.ToolName != "Read" {
		citing = active.Citing(ctx, document.Place{Path: name})
	}
	err = h.recalls.Update(in.SessionID, func(s *recall.Session) error {
		switch {
		case own && in.ToolName == "Read":
			s.Open(active.Definition.Root, name)
		case own:
			s.Wrote, s.RemindDue = true, false
		}
		for _, c := range citing {
			if s.Knows(active.Definition.Root, c.Path) {
				continue
			}
			text = pointing(c.Path, fmt.Sprintf("%s: %s %q cites %s. Read it before this edit.", memoryName, wirePath(c.Path),
				cutLine(c.Title, maxPointerTitle), c.Place))
			if text != "" {
				note(s, active, in.Event, c.Path, "same file", 1)
				break
			}
		}
		return nil
	})
	return text, err
}

// memoryName begins each text, so that the assistant knows where it comes from.
const memoryName = "From this project's memory (compound-docs)"

const (
	// maxPointer bounds a pointer, in characters: about 80 tokens. The others bound its parts.
	maxPointer      = 400
	maxPointerPath  = 200
	maxPointerTitle = 60
	maxPointerText  = 120
	// minPointerText is less than a sentence needs.
	minPointerText = 40
)

// pointer names a document in one line: path, lines, title, why, the sentence that matters, and
// notes. It is "" for a document that does not fit in a line.
func pointer(hit rag.Hit, why, notes string) string {
	text := fmt.Sprintf("%s: %s:%d-%d %q (%s)", memoryName, wirePath(hit.Path), hit.StartLine, hit.EndLine,
		cutLine(hit.Title, maxPointerTitle), why)
	room := maxPointer - utf8.RuneCountInString(text+notes) - len(`: ""`)
	if sentence := quote(hit); sentence != "" && room >= minPointerText {
		quoted := pointing(hit.Path, fmt.Sprintf("%s: %q%s", text, cutLine(sentence, min(room, maxPointerText)), notes))
		if quoted != "" {
			return quoted
		}
	}
	return pointing(hit.Path, text+notes)
}

// pointing returns the text of a hook that points to a document, and "" if the text is too
// long, or the path is too long or does not print.
func pointing(path, text string) string {
	if !plain.Prints(path) || utf8.RuneCountInString(path) > maxPointerPath || utf8.RuneCountInString(text) > maxPointer {
		return ""
	}
	return text
}

// quote returns the sentence of the best passage that matters. If the passage is front matter,
// headings or links, it returns the summary, or else the solution; "" if that is no sentence.
func quote(hit rag.Hit) string {
	_, solution, _ := strings.Cut("\n"+hit.Content, "\nsolution: ")
	solution, _, _ = strings.Cut(solution, "\n")
	candidates := []string{hit.Summary, solution}
	if hit.StartLine > 1 && isProse(hit.Content) { // front matter begins at line 1
		candidates = []string{hit.Snippet, hit.Summary}
	}
	for _, text := range candidates {
		text = strings.TrimLeft(strings.TrimPrefix(text, hit.Title), " .:—-") // the pointer has the title already
		if isProse(text) {
			return text
		}
	}
	return ""
}

// notProse matches what a passage has beside sentences: headings, links, tables, and short fields such
// as "Status: accepted".
var notProse = regexp.MustCompile(`(?m)^[ \t]*(#+ |\|).*$|!?\[[^\]]*\](\([^)]*\)|\[[^\]]*\])|https?://\S+|` +
	`^[-*> \t]*[\p{L}_ -]{1,24}\**:\**[ \t].{0,40}$`)

// isProse reports whether at least half of a text's letters are in sentences, and are enough for one.
func isProse(text string) bool {
	const fewest = 12
	sentences := letters(notProse.ReplaceAllString(text, ""))
	return sentences >= fewest && 2*sentences >= letters(text)
}

func letters(text string) (count int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			count++
		}
	}
	return count
}

// reminder asks to write down what was found out.
const reminder = memoryName + ": if something was found out here that code, tests and AGENTS.md do not say already, " +
	"write it down now as a document, and index_document it; else go on."

func note(s *recall.Session, active *workspace.Project, event, path, why string, score float64) {
	s.Shown = append(s.Shown, recall.Shown{
		Project: active.Definition.Root, Path: path, Event: event, Why: why, Score: round(score),
		At: time.Now().UTC().Truncate(time.Second),
	})
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
