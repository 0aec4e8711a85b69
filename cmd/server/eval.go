package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/tools"
)

// evalOptions are the flags of eval; a file that was not given is "".
type evalOptions struct {
	corpus, mode      string
	others            []string
	sizes             []int
	thresholds        []float64
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
MRR@10, milliseconds and tokens, and what each threshold of the score does: how
many questions whose first document is right keep it, and for how many questions
without an answer a document is shown. That is told of all documents and of
smaller projects drawn from them with a fixed seed. Each figure has a
bootstrapped 95 % interval.`,
		Example: `  compound-docs eval --corpus test/eval/corpus --others test/eval/everyday.jsonl
  compound-docs eval --corpus test/eval/corpus --json > before.json
  compound-docs eval --corpus test/eval/corpus --compare before.json`,
		RunE: withSetup(flags, func(s *setup, ctx context.Context) error { return s.evaluate(ctx, options) }),
	}
	command.Flags().StringVar(&options.corpus, "corpus", "", "folder of the collection")
	command.Flags().StringVar(&options.mode, "mode", string(rag.Hybrid), "how to search: "+joined(rag.Modes()))
	command.Flags().StringArrayVar(&options.others, "others", nil,
		"file of more questions that no document answers, in the form of queries.jsonl; may be repeated")
	command.Flags().IntSliceVar(&options.sizes, "sizes", []int{15, 50, 150}, "documents of the projects to draw; 0 for none")
	command.Flags().Float64SliceVar(&options.thresholds, "thresholds",
		[]float64{project.DefaultConfig().SemanticSearch.MinRelevanceScore, 0.9}, "scores from which a document is shown")
	command.Flags().Bool("json", false, "print JSON, with the values of every question")
	command.Flags().StringVar(&options.baseline, "baseline", "",
		"earlier JSON; fail if a mean is worse by more than .01, or a share by .03")
	command.Flags().StringVar(&options.compare, "compare", "",
		"earlier JSON; show the questions whose nDCG@10 differs most")
	complete(command, "mode", names(rag.Modes())...)
	return command
}

func (s *setup) evaluate(ctx context.Context, options evalOptions) error {
	mode := rag.Mode(options.mode)
	if !slices.Contains(rag.Modes(), mode) {
		return usagef("--mode is %q; give one of: %s", options.mode, joined(rag.Modes()))
	}
	// Find out before the searches whether the files can be read.
	baseline, err := readReport(options.baseline)
	if err != nil {
		return err
	}
	compare, err := readReport(options.compare)
	if err != nil {
		return err
	}
	if compare != nil && len(compare.Queries) == 0 {
		return usagef("%s has no questions; give what `compound-docs eval --json` has printed", options.compare)
	}
	whole, err := readCorpus(ctx, options.corpus, options.others)
	if err != nil {
		return usageError{err}
	}
	var report evalReport
	for i, size := range append([]int{len(whole.files)}, options.sizes...) {
		projects := []*corpus{whole}
		if i > 0 {
			projects = whole.draw(size)
		}
		of := sample{documents: size, projects: len(projects)}
		for _, project := range projects {
			queries, err := s.measure(ctx, project, mode)
			if err != nil {
				return err
			}
			of.queries = append(of.queries, queries...)
		}
		if i == 0 {
			report = newReport(whole, options.mode, of.queries)
		}
		report.Shares = append(report.Shares, shares(of, options.thresholds)...)
	}
	if compare != nil {
		report.Comparison = compareReports(*compare, report)
	}
	if err := s.print(report, report.printTable); err != nil {
		return err
	}
	if baseline != nil {
		return checkBaseline(*baseline, report)
	}
	return nil
}

// evalDepth is how many documents each search returns. All measures look at the
// first ten at most.
const evalDepth = 10

// measure indexes a collection, and searches each question, in order.
func (s *setup) measure(ctx context.Context, c *corpus, mode rag.Mode) ([]evalQuery, error) {
	scope, err := indexCorpus(ctx, s.index, c, mode, showProgress(s.stderr, c.name))
	if err != nil {
		return nil, err
	}
	search := func(text string) (rag.Hits, error) {
		return s.searcher.Search(ctx, scope, rag.Query{Text: text, Mode: mode, Limit: evalDepth})
	}
	// The first search waits until Ollama has loaded the model.
	if _, err := search("warm up"); err != nil {
		return nil, err
	}
	measured := make([]evalQuery, 0, len(c.asked))
	for _, question := range c.asked {
		began := time.Now()
		// A question of stop words alone has no term to search for.
		hits, err := search(question.Text)
		took := time.Since(began)
		if err != nil && apierror.AsError(err).Code != apierror.InvalidArgument {
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
		for i, hit := range hits.Documents {
			result.Ranking = append(result.Ranking, c.ids[hit.Path])
			if result.TopScore = max(result.TopScore, hit.Score); i == 0 {
				result.FirstScore = hit.Score
			}
		}
		result.judge(c.collection.Judged[question.ID])
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
	// Right is set if the first document is relevant.
	Right bool `json:"right"`
	// FirstScore is the score of the first document. TopScore is the highest, which
	// another one has if the first one is promoted. Both are 0 without a document.
	FirstScore   float64  `json:"first_score"`
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
	q.Right = q.ReciprocalRank == 1
}

// evalBatch is how many documents are indexed at a time.
const evalBatch = 50

// indexCorpus brings the collection into the index with all its vectors, or finds it
// there. A search by words alone needs no vectors. A document that cannot be indexed, or not
// be embedded as a whole, is an error: the measures would be those of another collection.
// cleanup removes the index when the folder is gone, as it does for repositories.
func indexCorpus(
	ctx context.Context, x *index.Index, c *corpus, mode rag.Mode, progress func(done, total int),
) (catalog.Scope, error) {
	tenant, err := x.Tenant(ctx, catalog.TenantKey{Project: c.projectName()}, c.dir)
	if err != nil {
		return catalog.Scope{}, err
	}
	indexer := x.Indexer(tenant, catalog.Compounding, c.schema)
	known, err := indexer.Known(ctx)
	if err != nil {
		return catalog.Scope{}, err
	}
	missing := slices.DeleteFunc(slices.Clone(c.files), func(file document.File) bool {
		return known[file.Path].Hash == file.Stamp().Hash
	})
	for batch := range slices.Chunk(missing, evalBatch) {
		failures, err := indexer.Index(ctx, batch)
		if err = errors.Join(err, joinFailures("index", failures)); err != nil {
			return catalog.Scope{}, err
		}
	}
	scope := catalog.Scope{Tenant: tenant, Collection: catalog.Compounding}
	if mode == rag.Lexical {
		return scope, nil
	}
	queue := x.Queue(tenant, catalog.Compounding)
	err = queue.Drain(ctx, progress)
	return scope, errors.Join(err, joinFailures("embed", queue.Status().Failed))
}

// joinFailures returns the failures as one error, nil if there is none.
func joinFailures(op string, failures []document.Failure) error {
	var all []error
	for _, failure := range failures {
		all = append(all, fmt.Errorf("%s %s: %w", op, failure.Path, failure.Err))
	}
	return errors.Join(all...)
}
