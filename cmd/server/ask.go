package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

// askFlags are the arguments of the tools that answer.
type askFlags struct {
	docTypes      []string
	maxSources    int
	minScore      float64
	minLevel      string
	critical      bool
	own, external bool
}

func newAskCommand(flags *flags) *cobra.Command {
	var f askFlags
	command := &cobra.Command{
		Use:   "ask QUESTION...",
		Short: "Answer a question from the documents",
		Long: `Answer a question from the project's documents and those they link to. The answer is
printed as the language model writes it, and then the documents that it was given. If the
project has external docs that are relevant, a second answer is drawn from them; --own and
--external ask for one of the two. A question with --doc-types, --min-promotion-level or
--include-critical is answered from own documents only.

Where the model fails, the most relevant passages are quoted instead.`,
		Example: `  compound-docs ask "how do we handle connection pool exhaustion?"
  compound-docs ask --doc-types problem --max-sources 5 why did the import time out
  compound-docs ask --external --json "how does API authentication work?"`,
		Args: needs(1, -1, "the question", `compound-docs ask "how do we handle time zones?"`),
		RunE: withProject(flags, func(t *tooling, ctx context.Context) error { return f.run(ctx, t) }),
	}
	set := command.Flags()
	set.StringSliceVar(&f.docTypes, "doc-types", nil, "only these doc-types, separated by commas; see doc-types")
	set.IntVar(&f.maxSources, "max-sources", 0,
		"how many documents to use at most, critical and linked ones not counted (default: 3, or what the project configures)")
	set.Float64Var(&f.minScore, "min-relevance-score", 0,
		"leave out what is less relevant (default: 0.7, or what the project configures)")
	set.StringVar(&f.minLevel, "min-promotion-level", string(catalog.Standard),
		"only documents at or above this level: "+joined(catalog.Levels()))
	set.BoolVar(&f.critical, "include-critical", true, "put critical documents first, whatever their relevance")
	set.BoolVar(&f.own, "own", false, "answer only from the project's own documents")
	set.BoolVar(&f.external, "external", false, "answer only from the external docs")
	exclude(command, "external", append(ofOwnDocuments(), "own")...)
	complete(command, "min-promotion-level", names(catalog.Levels())...)
	return command
}

// ofOwnDocuments are flags with which only own documents are asked.
func ofOwnDocuments() []string {
	return []string{"doc-types", "min-promotion-level", "include-critical"}
}

func (f *askFlags) run(ctx context.Context, t *tooling) error {
	arguments := map[string]any{
		"query": strings.Join(t.args, " "), "max_sources": optional(t.command, "max-sources", &f.maxSources),
		"min_relevance_score": optional(t.command, "min-relevance-score", &f.minScore),
	}
	own := maps.Clone(arguments)
	own["min_promotion_level"], own["include_critical"] = f.minLevel, f.critical
	if len(f.docTypes) > 0 {
		own["doc_types"] = f.docTypes
	}
	tool := "rag_query"
	switch {
	case f.external:
		tool, own = "rag_query_external", arguments
	case !f.own && !slices.ContainsFunc(ofOwnDocuments(), t.command.Flags().Changed):
		return t.askBoth(ctx, own, arguments)
	}
	answer, err := t.ask(ctx, tool, own, "")
	if answer == nil {
		return err
	}
	return t.printAnswer(answer)
}

// askBoth prints the answer from the project's own documents and the one from its external
// docs, or only one of them if only that one has sources.
func (t *tooling) askBoth(ctx context.Context, ownArguments, externalArguments map[string]any) error {
	own, err := t.ask(ctx, "rag_query", ownArguments, "")
	if own == nil {
		return err
	}
	heading := ""
	if len(own.Sources) > 0 && !t.json {
		if err := t.printAnswer(own); err != nil {
			return err
		}
		heading = "From the external docs"
	}
	external, err := t.ask(ctx, "rag_query_external", externalArguments, heading)
	switch {
	case isNotConfigured(err) && heading != "":
		return nil
	case isNotConfigured(err):
		return t.printAnswer(own)
	case external == nil:
		return err
	case t.json: // the answer of rag_query, with that of rag_query_external in a further field
		own := strings.TrimSuffix(string(own.text), "}")
		return plain.JSON(t.stdout, json.RawMessage(own+`,"external":`+string(external.text)+"}"))
	case len(external.Sources) == 0 && heading != "":
		return nil
	case len(external.Sources) == 0:
		plain.Println(t.stdout, "From the project's own documents:", inCommands(own.Answer))
		plain.Println(t.stdout, "From the external docs:", inCommands(external.Answer))
		return nil
	}
	if heading != "" {
		external.Index = nil // printed with the first answer
	}
	return t.printAnswer(external)
}

// answered is the answer of a tool that answers.
type answered struct {
	tools.RagQueryOutput

	Sources    []source `json:"sources"`
	LinkedDocs []source `json:"linked_docs"`

	text    json.RawMessage // the tool's
	heading string          // printed before the answer, "" for none
	begun   bool            // to be printed
}

// ask calls a tool, and prints the answer while it is written, unless JSON is to be
// printed. The answer is nil if there is an error, or if nobody reads.
func (t *tooling) ask(ctx context.Context, tool string, arguments map[string]any, heading string) (*answered, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	a := &answered{heading: heading}
	onText := func(text string) {
		if !t.json {
			a.write(t.stdout, text)
		}
		if plain.NobodyReads(t.stdout) {
			end()
		}
	}
	var err error
	if a.text, err = t.call(tools.WithText(ctx, onText), tool, arguments, a); err == nil {
		return a, nil
	}
	if plain.NobodyReads(t.stdout) && errors.Is(ctx.Err(), context.Canceled) {
		return nil, nil //nolint:nilnil // the call was ended because nobody reads
	}
	return nil, err
}

// write prints a part of the answer.
func (a *answered) write(w io.Writer, text string) {
	if !a.begun {
		if text = strings.TrimLeft(text, " \n"); text == "" {
			return
		}
		if a.heading != "" {
			plain.Printf(w, "\n%s\n", plain.StyleFor(w).Bold(a.heading))
		}
		a.begun = true
	}
	plain.Printf(w, "%s", plain.Block(text))
}

func (t *tooling) printAnswer(a *answered) error {
	t.sayWhatIsMissing(a.Index, "")
	if t.json {
		return plain.JSON(t.stdout, a.text)
	}
	if !a.begun { // it was not written piece by piece
		a.write(t.stdout, inCommands(strings.TrimSpace(a.Answer)))
	}
	plain.Printf(t.stdout, "\n")
	switch a.Generation {
	case "":
	case "extractive":
		plain.Println(t.stderr, "note: these are quotations, since the language model has failed:", a.Reason)
	default:
		plain.Println(t.stderr, "note: the answer is cut short, since the language model has failed:", a.Reason)
	}
	for i, source := range append(a.Sources, a.LinkedDocs...) {
		source.print(t.stdout, i == 0)
	}
	for _, pair := range a.Conflicts {
		plain.Printf(t.stderr, "note: %s may contradict %s\n", plain.Path(pair[0]), plain.Path(pair[1]))
	}
	if a.OmittedCount > 0 {
		plain.Printf(t.stderr, "note: the context had no room for %s more\n", plain.Count(a.OmittedCount, "document"))
	}
	return nil
}

// source is a document that an answer is based on, or a document that one of these links to.
type source struct {
	tools.SearchResult

	LinkedFrom string `json:"linked_from"`
}

func (s source) print(w io.Writer, first bool) {
	marks := plain.StyleFor(w)
	if first {
		plain.Printf(w, "\n%s\n", marks.Bold("Sources"))
	}
	why := fmt.Sprintf("%.2f", s.RelevanceScore)
	switch {
	case s.LinkedFrom != "":
		why = "linked from " + plain.Path(s.LinkedFrom)
	case s.PromotionLevel != "" && s.PromotionLevel != catalog.Standard:
		why += ", " + string(s.PromotionLevel)
	}
	if s.SupersededBy != "" {
		why += ", replaced by " + plain.Path(s.SupersededBy)
	}
	if s.Stale != "" {
		why += ", may be outdated: " + s.Stale
	}
	place := plain.Path(s.Path)
	if s.StartLine > 0 {
		place += fmt.Sprintf(":%d", s.StartLine)
	}
	plain.Printf(w, "  %s  %s %s\n", place, s.Title, marks.Dim("("+why+")"))
}
