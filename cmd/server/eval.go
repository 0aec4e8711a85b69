package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/tools"
)

// evalOptions are the flags of eval; a file that was not given is "".
type evalOptions struct {
	corpus, mode      string
	json              bool
	baseline, compare string
}

func newEvalCommand(flags *flags) *cobra.Command {
	var options evalOptions
	command := &cobra.Command{
		Use:   "eval --corpus DIR",
		Short: "Measure search on judged questions",
		Long: `Measure search on a collection of documents and judged questions.

DIR is in the form of BEIR (corpus.jsonl, queries.jsonl, and qrels/test.tsv or
qrels.tsv), or is a project's folder with queries.jsonl and qrels.tsv in it,
whose documents are named by their paths.

The documents are indexed apart from every project, and stay for the next run.
Each question is searched once. The report has nDCG@10, recall@5, recall@10,
MRR@10, milliseconds and tokens, each with a bootstrapped 95 % interval, and
tells how often nothing reached the default threshold.`,
		Example: `  compound-docs eval --corpus test/eval/corpus
  compound-docs eval --corpus test/eval/corpus --json > before.json
  compound-docs eval --corpus test/eval/corpus --compare before.json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return evaluate(cmd.Context(), flags, options, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	command.Flags().StringVar(&options.corpus, "corpus", "", "folder of the collection")
	command.Flags().StringVar(&options.mode, "mode", string(rag.Hybrid), "how to search: "+joined(rag.Modes()))
	command.Flags().BoolVar(&options.json, "json", false, "print JSON, with the values of every question")
	command.Flags().StringVar(&options.baseline, "baseline", "",
		"earlier JSON; fail if a mean has dropped by more than .01")
	command.Flags().StringVar(&options.compare, "compare", "",
		"earlier JSON; show the questions whose nDCG@10 differs most")
	complete(command, "mode", names(rag.Modes())...)
	return command
}

func evaluate(ctx context.Context, f *flags, options evalOptions, stdout, stderr io.Writer) (err error) {
	mode := rag.Mode(options.mode)
	if !slices.Contains(rag.Modes(), mode) {
		return usagef("--mode is %q; give one of: %s", options.mode, joined(rag.Modes()))
	}
	// Files that cannot be read should not be found out after the searches.
	earlier, err := readReports(options.baseline, options.compare)
	if err != nil {
		return usageError{err}
	}
	corpus, err := readCorpus(ctx, options.corpus)
	if err != nil {
		return usageError{err}
	}
	s, err := f.setUp(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	scope, err := indexCorpus(ctx, s.index, corpus, showProgress(stderr, corpus.name))
	if err != nil {
		return err
	}
	measured, err := measure(ctx, corpus, func(ctx context.Context, text string) (rag.Hits, error) {
		return s.searcher.Search(ctx, scope, rag.Query{Text: text, Mode: mode, Limit: evalDepth})
	})
	if err != nil {
		return err
	}
	report := newReport(corpus, options.mode, measured)
	if earlier.compare != nil {
		report.Comparison = compareReports(*earlier.compare, report)
	}
	if err := printReport(stdout, report, options.json); err != nil {
		return err
	}
	if earlier.baseline != nil {
		return checkBaseline(*earlier.baseline, report)
	}
	return nil
}

// evalDepth is how many documents each search returns. All measures look at the
// first ten at most.
const evalDepth = 10

// measure searches each question that is judged or has no answer, in order.
func measure(
	ctx context.Context, corpus *corpus, search func(ctx context.Context, text string) (rag.Hits, error),
) ([]evalQuery, error) {
	questions := corpus.questions()
	if len(questions) == 0 {
		return nil, errors.New("no question is judged; qrels.tsv must name some questions of queries.jsonl")
	}
	// The first search waits until Ollama has loaded the model.
	if _, err := search(ctx, "warm up"); err != nil {
		return nil, err
	}
	threshold := project.DefaultConfig().SemanticSearch.MinRelevanceScore
	measured := make([]evalQuery, 0, len(questions))
	for _, question := range questions {
		began := time.Now()
		// A question of stop words has nothing that words could find.
		hits, err := search(ctx, question.Text)
		took := time.Since(began)
		if err != nil && rag.AsError(err).Code != rag.InvalidArgument {
			return nil, fmt.Errorf("search for question %s: %w", question.ID, err)
		}
		answer, err := tools.SearchAnswer(hits)
		if err != nil {
			return nil, fmt.Errorf("measure the answer to question %s: %w", question.ID, err)
		}
		result := evalQuery{
			ID: question.ID, Kind: question.Kind, Text: question.Text,
			Milliseconds: float64(took.Microseconds()) / 1000, Tokens: markdown.EstimateTokens(string(answer)),
			Ranking: []string{},
		}
		for _, hit := range hits.Documents {
			result.Ranking = append(result.Ranking, corpus.ids[hit.Path])
			result.TopScore = max(result.TopScore, hit.Score)
		}
		result.Rejected = result.TopScore < threshold
		result.judge(corpus.collection.Judged[question.ID])
		measured = append(measured, result)
	}
	return measured, nil
}

// evalQuery holds the measures of one question. The measures of ranking are 0
// for a question without an answer.
type evalQuery struct {
	ID   string `json:"id"`
	Kind string `json:"kind,omitempty"`
	Text string `json:"text"`
	// Answered is set if a document of the collection is relevant.
	Answered       bool    `json:"answered"`
	NDCG10         float64 `json:"ndcg_10"`
	Recall5        float64 `json:"recall_5"`
	Recall10       float64 `json:"recall_10"`
	ReciprocalRank float64 `json:"mrr_10"`
	// Rejected is set if no document reaches the default threshold.
	Rejected     bool     `json:"rejected"`
	TopScore     float64  `json:"top_score"`
	Milliseconds float64  `json:"milliseconds"`
	Tokens       int      `json:"tokens"`
	Ranking      []string `json:"ranking"`
}

func (q *evalQuery) judge(judged eval.Judgements) {
	q.Answered = answerable(judged)
	q.NDCG10 = eval.NDCG(q.Ranking, judged, 10)
	q.Recall5 = eval.Recall(q.Ranking, judged, 5)
	q.Recall10 = eval.Recall(q.Ranking, judged, 10)
	q.ReciprocalRank = eval.ReciprocalRank(q.Ranking, judged, 10)
}

// printReport writes the report as JSON or as a table.
func printReport(w io.Writer, report evalReport, asJSON bool) error {
	if !asJSON {
		return report.printTable(w)
	}
	return printJSON(w, report)
}
