package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/db"
	file "github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/rag/relevance"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// observation is the first document that a search finds for a question.
type observation struct {
	set       string
	documents int // of the project
	right     bool
	// answered says that the project has an answer.
	answered bool
	relevance.Evidence
}

// fittedSets are the sets of this folder that scales are fitted on, beside the collections of the command line.
// asideSets are only judged: no weight was chosen with them.
func fittedSets() []string {
	return []string{"corpus", "literal", "tasks/own.jsonl", "tasks/demo.jsonl", "tasks/third.jsonl", "tasks/fourth.jsonl"}
}

func asideSets() []string { return []string{"acts/eighteen"} }

// fitAll fits the scales without a model, and those with each model.
func fitAll(ctx context.Context, out io.Writer, o options) error {
	if err := fit(ctx, out, o.collections, ""); err != nil || len(o.models) == 0 {
		return err
	}
	all, err := competitors(ctx, os.Getenv(testenv.EnvOllamaHost), o.models)
	if err != nil {
		return err
	}
	for _, c := range all[len(all)-len(o.models):] {
		if err := fit(ctx, out, o.collections, c.model); err != nil {
			return fmt.Errorf("fit with %s: %w", c.model, err)
		}
	}
	return nil
}

// fit asks every question in projects of all sizes twice: as it is, and as if the documents that answer it were taken
// out. It prints the scale of each form by which scores are as often right as they say, and how often they are. Without
// an embedder the forms are words, and words with built-in vectors.
func fit(ctx context.Context, out io.Writer, collections []string, embedder string) (err error) {
	url, drop, err := testenv.NewDatabase(ctx, os.Getenv(testenv.EnvDatabaseURL))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop(context.WithoutCancel(ctx))) }()
	database := db.NewDatabase(testenv.Source(url), slog.New(slog.DiscardHandler))
	defer database.Close()
	host, modes := nobody, []rag.Mode{rag.Lexical, rag.Hybrid}
	if embedder != "" {
		host, modes = os.Getenv(testenv.EnvOllamaHost), []rag.Mode{rag.Hybrid, rag.Vector}
	}
	models, err := ollama.New(model.Config{Host: host, EmbedModel: embedder})
	if err != nil {
		return fmt.Errorf("connect to the model server: %w", err)
	}
	o := observer{index.New(database, models, slog.New(slog.DiscardHandler)), rag.NewSearcher(database, models), modes}
	fitted, err := o.observeAll(ctx, append(inFolder(fittedSets()), collections...))
	if err != nil {
		return err
	}
	aside, err := o.observeAll(ctx, inFolder(asideSets()))
	if err != nil {
		return err
	}
	for form, name := range []string{"both", "words", "built in", "meaning"} {
		of := func(o observation) bool { return o.Form == relevance.Form(form) }
		if sample := filter(fitted, of); len(sample) > 0 {
			scale := fitScale(sample)
			fmt.Fprintf(out, "\n%s: {%.3f, %.3f, %.2f}\n", name, scale.Slope, scale.Crowd, scale.Base)
			printBins(out, sample, filter(aside, of), scale)
		}
	}
	return nil
}

func inFolder(sets []string) (paths []string) {
	for _, set := range sets {
		paths = append(paths, folder+"/"+set)
	}
	return paths
}

func filter[T any](all []T, keep func(T) bool) (kept []T) {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !keep(one) })
}

// observer indexes projects and searches in them.
type observer struct {
	index    *index.Index
	searcher *rag.Searcher
	modes    []rag.Mode
}

func (o observer) observeAll(ctx context.Context, paths []string) (all []observation, err error) {
	for _, path := range paths {
		c, err := readAsked(path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		whole := len(c.Documents)
		for _, size := range []int{whole, whole / 2, whole / 4, whole / 8, 40, 15} {
			if size < 15 || size > whole || size < 40 && size != 15 && size != whole {
				continue
			}
			parts := [][]document{c.Documents}
			if size < whole {
				parts = draw(c.Documents, size)
			}
			for i, documents := range parts {
				seen, err := o.observe(ctx, c, documents, fmt.Sprintf("%s-%d-%d", c.Name, size, i))
				if err != nil {
					return nil, err
				}
				all = append(all, seen...)
			}
		}
	}
	return all, nil
}

// readAsked reads prompts about the documents of a project, or a collection. The plain questions of a set of acts stand
// for its acts.
func readAsked(path string) (*collection, error) {
	if filepath.Ext(path) == ".jsonl" {
		t, err := promptTask(".", strings.TrimPrefix(path, folder+"/"))
		return t.collection, err
	}
	c, err := readCollection(path)
	if err != nil {
		return nil, err
	}
	var asked []aboutQuery
	err = eachLine(filepath.Join(path, "questions.jsonl"), func(line []byte) error {
		var q aboutQuery
		err := json.Unmarshal(line, &q)
		asked = append(asked, q)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	c.Queries, c.Judged = nil, map[string]judgements{}
	for _, q := range asked {
		c.Queries, c.Judged[q.ID] = append(c.Queries, q.query), judgements{q.About[0]: 1}
	}
	return c, err
}

// observe asks the questions that documents answer.
func (o observer) observe(ctx context.Context, c *collection, documents []document, name string) (all []observation, err error) {
	tenant, err := o.makeProject(ctx, documents, name)
	if err != nil {
		return nil, err
	}
	scope := catalog.Scope{Tenant: tenant, Collection: catalog.Compounding}
	for _, q := range c.Queries {
		var answers []string
		for _, d := range documents {
			if c.Judged[q.ID][d.ID] > 0 {
				answers = append(answers, d.Path)
			}
		}
		if len(answers) == 0 {
			continue
		}
		for _, mode := range o.modes {
			found, err := o.searcher.Explain(ctx, scope, rag.Query{Text: q.Text, Mode: mode, Limit: 100})
			if err != nil {
				return nil, err
			}
			for _, seen := range firsts(found.Documents, answers) {
				seen.set, seen.documents = c.Name, len(documents)
				all = append(all, seen)
			}
		}
	}
	return all, nil
}

// makeProject indexes documents.
func (o observer) makeProject(ctx context.Context, documents []document, name string) (*catalog.Tenant, error) {
	key := catalog.TenantKey{Project: name, Branch: "main", PathHash: "0123456789abcdef"}
	tenant, err := o.index.Tenant(ctx, key, "/"+name)
	if err != nil {
		return nil, err
	}
	files := make([]file.File, len(documents))
	for i, d := range documents {
		files[i] = file.File{Path: d.Path, Content: []byte(d.Text), Stamp: file.Stamp{Hash: sha256.Sum256([]byte(d.Text))}}
	}
	_, err = o.index.Indexer(tenant, catalog.Compounding, nil).Index(ctx, files)
	if err != nil || !slices.Contains(o.modes, rag.Vector) {
		return tenant, err
	}
	return tenant, o.index.Queue(tenant, catalog.Compounding).Drain(ctx, nil)
}

// firsts returns the first document of a search, and the first one as if the answers were taken out. A line of a pasted
// text that has found one says nothing of the whole.
func firsts(found []rag.Hit, answers []string) (seen []observation) {
	isAnswer := func(hit rag.Hit) bool { return slices.Contains(answers, hit.Path) }
	others := filter(found, func(hit rag.Hit) bool { return !isAnswer(hit) })
	for i, hits := range [][]rag.Hit{found, others} {
		if len(hits) > 0 && hits[0].Line == "" {
			evidence := hits[0].Evidence
			evidence.Crowd = crowdOf(hits)
			seen = append(seen, observation{right: isAnswer(hits[0]), answered: i == 0, Evidence: evidence})
		}
	}
	return seen
}

func crowdOf(hits []rag.Hit) relevance.Crowd {
	var evidence []relevance.Evidence
	for _, hit := range hits {
		evidence = append(evidence, hit.Evidence)
	}
	return relevance.CrowdOf(evidence)
}
