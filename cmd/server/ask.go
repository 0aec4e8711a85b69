package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/tools"
)

type askFlags struct {
	docTypes           []string
	maxSources         int
	minScore           float64
	minLevel           string
	critical, external bool
}

func newAskCommand(flags *flags) *cobra.Command {
	var f askFlags
	command := &cobra.Command{
		Use:   "ask QUESTION...",
		Short: "Answer a question from the documents",
		Long: `Answer a question from the project's documents and those they link to. The answer is
printed as the language model writes it, and then its sources.

If the model fails, the most relevant passages are quoted instead. If no document is sure to
answer, those that may are listed.`,
		Example: `  compound-docs ask "how do we handle connection pool exhaustion?"
  compound-docs ask --doc-types problem --max-sources 5 why did the import time out
  compound-docs ask --external --json "how does API authentication work?"`,
		Args: needs(1, -1, "the question", `compound-docs ask "how do we handle time zones?"`),
		RunE: withProject(flags, f.run),
	}
	set := command.Flags()
	set.StringSliceVar(&f.docTypes, "doc-types", nil, "only these doc-types, separated by commas")
	set.IntVar(&f.maxSources, "max-sources", 0,
		"most documents to use, critical and linked ones not counted (default: 3, or as configured)")
	set.Float64Var(&f.minScore, "min-relevance-score", 0,
		"minimum relevance (default: 0.7, or as configured)")
	set.StringVar(&f.minLevel, "min-promotion-level", string(catalog.Standard),
		"only documents at or above this level: "+joined(catalog.Levels()))
	set.BoolVar(&f.critical, "include-critical", true, "add critical documents, whatever their relevance")
	set.BoolVar(&f.external, "external", false, "answer from the external docs")
	exclude(command, "external", "doc-types", "min-promotion-level", "include-critical")
	return command
}

// run asks the project's own documents, or the external docs with --external, and prints the answer.
func (f *askFlags) run(t *tooling) error {
	in := tools.RagQueryInput{
		Query: strings.Join(t.args, " "), DocTypes: f.docTypes, MaxSources: optional(t.command, "max-sources", &f.maxSources),
		MinRelevanceScore: optional(t.command, "min-relevance-score", &f.minScore),
		MinPromotionLevel: catalog.Level(f.minLevel), IncludeCritical: &f.critical,
	}
	p := &answerPrinter{tooling: t}
	ctx := tools.WithProgress(t.command.Context(), func(progress tools.Progress) { p.write(progress.Text) })
	if !f.external {
		own, err := tools.Run(ctx, t.tools, "rag_query", (*tools.Handler).RagQuery, in)
		return p.finish(own, own, err)
	}
	ofExternal := tools.RagQueryExternalInput{Query: in.Query, MaxSources: in.MaxSources, MinRelevanceScore: in.MinRelevanceScore}
	external, err := tools.Run(ctx, t.tools, "rag_query_external", (*tools.Handler).RagQueryExternal, ofExternal)
	return p.finish(external, externalAnswer(external), err)
}

func externalAnswer(external tools.RagQueryExternalOutput) tools.RagQueryOutput {
	out := tools.RagQueryOutput{Answer: external.Answer, AnswerEnd: external.AnswerEnd}
	for _, source := range external.Sources {
		out.Sources = append(out.Sources, tools.Source{SourceHead: source.SourceHead, BestPassage: source.BestPassage})
	}
	return out
}

// answerPrinter prints an answer while the language model writes it, or at the end as one object with --json.
type answerPrinter struct {
	*tooling

	begun bool // a part of the answer has been printed
}

// write prints the next piece of the answer, or nothing with --json.
func (p *answerPrinter) write(text string) {
	if p.json {
		return
	}
	if !p.begun {
		text = strings.TrimLeft(text, " \n")
		p.begun = text != ""
	}
	plain.Printf(p.stdout, "%s", plain.Block(text))
}

// finish prints the notes, the sources, and the answer if the model did not write it piece by piece. With --json it
// prints asJSON instead. If err is not nil, finish prints nothing and returns err.
func (p *answerPrinter) finish(asJSON any, out tools.RagQueryOutput, err error) error {
	if err != nil {
		return err
	}
	p.sayWhatIsMissing(out.Index)
	if p.json {
		return plain.JSON(p.stdout, asJSON)
	}
	unsure, _, _ := strings.Cut(out.Answer, "\n")
	if p.begun && out.Grade == rag.MayAnswer { // package tools added the first line, so write did not print it
		p.notef("%s", unsure)
	}
	if !p.begun {
		p.write(strings.TrimSpace(out.Answer))
	}
	plain.Printf(p.stdout, "\n")
	if out.Generation != "" {
		p.notef("the language model failed, so the answer is %s: %s", out.Generation, out.Reason)
	}
	if out.OmittedCount > 0 {
		p.notef("the context had no room for %s more", plain.Count(out.OmittedCount, "document"))
	}
	printSources(p.stdout, out)
	if len(out.MayAnswer) > 0 {
		plain.Printf(p.stdout, "\n%s\n", plain.StyleFor(p.stdout).Bold("May answer"))
		printResults(p.stdout, unsureResults(out.MayAnswer), "")
	}
	return nil
}

func printSources(w io.Writer, out tools.RagQueryOutput) {
	s := plain.StyleFor(w)
	if len(out.Sources)+len(out.LinkedDocs) > 0 {
		plain.Printf(w, "\n%s\n", s.Bold("Sources"))
	}
	for _, source := range out.Sources {
		why := fmt.Sprintf("%.2f", source.RelevanceScore)
		if source.PromotionLevel != "" && source.PromotionLevel != catalog.Standard {
			why += ", " + string(source.PromotionLevel)
		}
		if source.Status != "" {
			why += ", " + source.Status
		}
		if source.Stale != "" {
			why += ", may be outdated: " + source.Stale
		}
		plain.Printf(w, "  %s:%d  %s %s\n", plain.Path(source.Path), source.StartLine, source.Title, s.Dim("("+why+")"))
	}
	for _, linked := range out.LinkedDocs {
		why := "linked from " + plain.Path(linked.LinkedFrom)
		if linked.Status != "" {
			why += ", " + linked.Status
		}
		plain.Printf(w, "  %s  %s %s\n", plain.Path(linked.Path), linked.Title, s.Dim("("+why+")"))
	}
}
