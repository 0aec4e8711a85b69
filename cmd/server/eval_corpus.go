package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/index"
)

// corpus is a collection with its documents as the index takes them.
type corpus struct {
	// dir is absolute; name is its last element.
	dir, name  string
	collection *eval.Collection
	files      []document.File
	// ids are the documents' ids by the paths of the files.
	ids map[string]string
	// schema is nil for a collection in BEIR's form, which has no doc-types.
	schema index.Schema
	// asked are the questions to measure.
	asked []eval.Query
}

// readCorpus reads a collection in either form, and more questions, which it does not
// answer, from the files others.
func readCorpus(ctx context.Context, dir string, others []string) (*corpus, error) {
	if dir == "" {
		return nil, errors.New(
			"--corpus is missing; give the folder of a collection, as in `compound-docs eval --corpus ./test/eval/corpus`")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve corpus: %w", err)
	}
	c := &corpus{dir: dir, name: filepath.Base(dir), ids: map[string]string{}}
	_, err = os.Stat(filepath.Join(dir, "corpus.jsonl"))
	switch {
	case err == nil:
		err = c.readBEIR()
	case errors.Is(err, fs.ErrNotExist):
		err = c.readProject(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("read the collection %s: %w", dir, err)
	}
	slices.SortFunc(c.files, func(a, b document.File) int { return cmp.Compare(a.Path, b.Path) })
	c.asked = c.questions()
	if len(c.asked) == 0 {
		return nil, fmt.Errorf(
			"read the collection %s: no question is judged; qrels.tsv must name some questions of queries.jsonl", dir)
	}
	for _, path := range others {
		queries, err := eval.ReadOthers(path)
		if err != nil {
			return nil, fmt.Errorf("read questions: %w", err)
		}
		c.asked = append(c.asked, queries...)
	}
	return c, nil
}

func (c *corpus) readBEIR() (err error) {
	if c.collection, err = eval.Read(c.dir); err != nil {
		return err
	}
	for _, d := range c.collection.Documents {
		text := d.Text
		if d.Title != "" {
			text = "# " + strings.Join(strings.Fields(d.Title), " ") + "\n\n" + text
		}
		c.add(url.PathEscape(d.ID)+".md", d.ID, []byte(text))
	}
	return nil
}

func (c *corpus) readProject(ctx context.Context) error {
	definition, err := project.Load(c.dir)
	if err != nil {
		return err
	}
	c.schema = definition
	var documents []eval.Document
	var unread []error
	err = workspace.Folders(definition)[0].ReadAll(ctx, func(file document.File, err error) {
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: %w", file.Path, err))
			return
		}
		documents = append(documents, eval.Document{ID: file.Path, Text: string(file.Content)})
		c.add(file.Path, file.Path, file.Content)
	})
	if err = errors.Join(append(unread, err)...); err != nil {
		return err
	}
	c.collection, err = eval.ReadQueries(c.dir, documents)
	return err
}

func (c *corpus) add(path, id string, content []byte) {
	c.ids[path] = id
	c.files = append(c.files, document.File{Path: path, Content: content, Size: int64(len(content))})
}

// projectName names the collection's index. It depends on the content, and begins with no
// letter, so that no project's config can have the name.
func (c *corpus) projectName() string {
	h := sha256.New()
	for _, file := range c.files {
		h.Write(fmt.Appendf(nil, "%d %s %d ", len(file.Path), file.Path, len(file.Content)))
		h.Write(file.Content)
	}
	return ":eval-" + hex.EncodeToString(h.Sum(nil)[:12])
}

// questions are those of the collection to measure: the judged ones, and in a project's
// folder also those without judgements, which have no answer there. In BEIR's form these
// are of another part of the collection, such as the one for training.
func (c *corpus) questions() []eval.Query {
	return slices.DeleteFunc(slices.Clone(c.collection.Queries), func(query eval.Query) bool {
		_, judged := c.collection.Judged[query.ID]
		return !judged && c.schema == nil
	})
}

// drawnDocuments is about how many documents the projects of one size have together.
const drawnDocuments = 300

// draw returns projects of size documents each, the same in every run, with no document in
// two of them. Each project has the questions that its documents answer. The questions that
// the whole collection does not answer are divided among the projects.
func (c *corpus) draw(size int) []*corpus {
	if size < 1 || size >= len(c.files) {
		return nil
	}
	const seed = 28
	order := rand.New(rand.NewPCG(seed, uint64(size))).Perm(len(c.files)) //nolint:gosec // repeatable, and no secret
	projects := make([]*corpus, min(len(c.files)/size, max(1, drawnDocuments/size)))
	for i := range projects {
		p := &corpus{dir: c.dir, name: c.name, ids: c.ids, schema: c.schema}
		p.collection = &eval.Collection{Judged: map[string]eval.Judgements{}}
		for _, at := range order[i*size : (i+1)*size] {
			p.files = append(p.files, c.files[at])
		}
		for at, query := range c.asked {
			judged := p.judgements(c.collection.Judged[query.ID])
			if answerable(judged) || !answerable(c.collection.Judged[query.ID]) && at%len(projects) == i {
				p.asked = append(p.asked, query)
				p.collection.Judged[query.ID] = judged
			}
		}
		projects[i] = p
	}
	return projects
}

// judgements returns those of the project's own documents.
func (c *corpus) judgements(all eval.Judgements) eval.Judgements {
	own := eval.Judgements{}
	for _, file := range c.files {
		if grade, ok := all[c.ids[file.Path]]; ok {
			own[c.ids[file.Path]] = grade
		}
	}
	return own
}

// answerable reports whether a document is relevant.
func answerable(judged eval.Judgements) bool {
	for _, grade := range judged {
		if grade > 0 {
			return true
		}
	}
	return false
}
