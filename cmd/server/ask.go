package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/tools"
)

// askFlags are the arguments of the tools that answer.
type askFlags struct {
	docTypes         []string
	maxSources       int
	minScore         float64
	minLevel         string
	critical         bool
	external, asJSON bool
}

func newAskCommand(flags *flags) *cobra.Command {
	var f askFlags
	command := &cobra.Command{
		Use:   "ask QUESTION...",
		Short: "Answer a question from the documents",
		Long: `Answer a question from the project's documents and those they link to. The answer is
printed as the language model writes it, and then the documents that it was given. With
--external it answers from the external docs of the project.

Where the model fails, the most relevant passages are quoted instead.`,
		Example: `  compound-docs ask "how do we handle connection pool exhaustion?"
  compound-docs ask --doc-types problem --max-sources 5 why did the import time out
  compound-docs ask --external --json "how does API authentication work?"`,
		Args: needs(1, -1, "the question", `compound-docs ask "how do we handle time zones?"`),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, flags, strings.Join(args, " ")) },
	}
	set := command.Flags()
	set.StringSliceVar(&f.docTypes, "doc-types", nil, "only these doc-types, separated by commas; see doc-types")
	set.IntVar(&f.maxSources, "max-sources", 0,
		"how many documents to use at most, critical and linked ones not counted (default: 3, or what the project configures)")
	set.Float64Var(&f.minScore, "min-relevance-score", 0,
		"leave out what is less relevant (default: 0.7, or what the project configures)")
	set.StringVar(&f.minLevel, "min-promotion-level", string(rag.Standard),
		"only documents at or above this level: "+joined(rag.Levels()))
	set.BoolVar(&f.critical, "include-critical", true, "put critical documents first, whatever their relevance")
	set.BoolVar(&f.external, "external", false, "answer from the external docs")
	addJSON(command, &f.asJSON)
	complete(command, "min-promotion-level", names(rag.Levels())...)
	return command
}

func (f *askFlags) run(command *cobra.Command, flags *flags, question string) error {
	maxSources, minScore := optional(command, "max-sources", &f.maxSources), optional(command, "min-relevance-score", &f.minScore)
	if f.external {
		if err := exclusive(command, "external", "doc-types", "min-promotion-level", "include-critical"); err != nil {
			return err
		}
		return withProject(command, flags, func(ctx context.Context, t *tooling) error {
			return f.askExternal(ctx, t, tools.AskExternalInput{Query: question, MaxSources: maxSources, MinRelevanceScore: minScore})
		})
	}
	return withProject(command, flags, func(ctx context.Context, t *tooling) error {
		return f.ask(ctx, t, tools.AskInput{
			Query: question, DocTypes: f.docTypes, MaxSources: maxSources, MinRelevanceScore: minScore,
			MinPromotionLevel: &f.minLevel, IncludeCritical: &f.critical,
		})
	})
}

func (f *askFlags) ask(ctx context.Context, t *tooling, in tools.AskInput) error {
	return f.print(ctx, t, func(ctx context.Context, onText func(text string)) (answered, error) {
		answer, err := t.calls.Ask(ctx, in, onText)
		a := answered{
			json: answer, text: answer.Answer, generation: answer.Generation, reason: answer.Reason,
			index: answer.Index, omitted: answer.OmittedCount,
		}
		for _, s := range answer.Sources {
			a.sources = append(a.sources, source{
				path: s.Path, title: s.Title, line: s.StartLine, score: s.RelevanceScore, level: s.PromotionLevel,
				supersededBy: s.SupersededBy, stale: s.Stale,
			})
		}
		for _, linked := range answer.LinkedDocs {
			a.sources = append(a.sources, source{path: linked.Path, title: linked.Title, linkedFrom: linked.LinkedFrom})
		}
		return a, err
	})
}

func (f *askFlags) askExternal(ctx context.Context, t *tooling, in tools.AskExternalInput) error {
	return f.print(ctx, t, func(ctx context.Context, onText func(text string)) (answered, error) {
		answer, err := t.calls.AskExternal(ctx, in, onText)
		a := answered{
			json: answer, text: answer.Answer, generation: answer.Generation, reason: answer.Reason,
			index: answer.Index, omitted: answer.OmittedCount,
		}
		for _, s := range answer.Sources {
			a.sources = append(a.sources, source{path: s.Path, title: s.Title, line: s.StartLine, score: s.RelevanceScore})
		}
		return a, err
	})
}

// answered is an answer from the project's documents or from the external ones.
type answered struct {
	json                     any // the tool's output
	text, generation, reason string
	index                    *tools.IndexStatus
	sources                  []source
	omitted                  int
}

func (f *askFlags) print(
	ctx context.Context, t *tooling, ask func(ctx context.Context, onText func(text string)) (answered, error),
) error {
	stream := newStream(ctx, t.stdout, f.asJSON)
	defer stream.end()
	a, err := ask(stream.ctx, stream.write)
	if err != nil {
		return stream.reason(err)
	}
	t.sayWhatIsMissing(a.index, "")
	if f.asJSON {
		return printJSON(t.stdout, a.json)
	}
	stream.finish(a.text)
	t.sayHowGenerated(a.generation, a.reason)
	for i, source := range a.sources {
		printSource(t.stdout, i == 0, source)
	}
	t.sayWhatIsOmitted(a.omitted)
	return nil
}

// stream prints an answer while it is written.
type stream struct {
	ctx     context.Context //nolint:containedctx // of one call, which it ends when nobody reads
	end     context.CancelFunc
	w       io.Writer
	silent  bool
	written int
}

func newStream(ctx context.Context, w io.Writer, silent bool) *stream {
	ctx, cancel := context.WithCancel(ctx)
	return &stream{ctx: ctx, end: cancel, w: w, silent: silent}
}

func (s *stream) write(text string) {
	if s.silent {
		return
	}
	if s.written == 0 {
		text = strings.TrimLeft(text, " \n")
	}
	s.written += len(text)
	fmt.Fprint(s.w, text)
	if nobodyReads(s.w) {
		s.end()
	}
}

// finish prints an answer that was not written piece by piece, and ends its last line.
func (s *stream) finish(answer string) {
	if s.written == 0 {
		fmt.Fprint(s.w, inCommands(strings.TrimSpace(answer)))
	}
	fmt.Fprintln(s.w)
}

// reason returns the error of a call, but none if the call has ended since nobody reads.
func (s *stream) reason(err error) error {
	if nobodyReads(s.w) && errors.Is(s.ctx.Err(), context.Canceled) {
		return nil
	}
	return err
}

// source is a document that an answer was drawn from, as it is printed for people.
type source struct {
	path, title  string
	line         int
	score        float64
	level        rag.Level
	supersededBy string
	stale        string
	linkedFrom   string
}

func printSource(w io.Writer, first bool, s source) {
	marks := styleFor(w)
	if first {
		fmt.Fprintln(w, "\n"+marks.bold("Sources"))
	}
	why := fmt.Sprintf("%.2f", s.score)
	switch {
	case s.linkedFrom != "":
		why = "linked from " + s.linkedFrom
	case s.level != "" && s.level != rag.Standard:
		why += ", " + string(s.level)
	}
	if s.supersededBy != "" {
		why += ", replaced by " + s.supersededBy
	}
	if s.stale != "" {
		why += ", may be outdated: " + s.stale
	}
	place := s.path
	if s.line > 0 {
		place = fmt.Sprintf("%s:%d", s.path, s.line)
	}
	fmt.Fprintf(w, "  %s  %s %s\n", place, s.title, marks.dim("("+why+")"))
}

func (t *tooling) sayHowGenerated(generation, reason string) {
	switch generation {
	case "":
	case "extractive":
		fmt.Fprintln(t.stderr, "note: these are quotations, since the language model has failed:", reason)
	default:
		fmt.Fprintln(t.stderr, "note: the answer is cut short, since the language model has failed:", reason)
	}
}

func (t *tooling) sayWhatIsOmitted(documents int) {
	if documents > 0 {
		fmt.Fprintf(t.stderr, "note: the context had no room for %s more\n", count(documents, "document"))
	}
}
