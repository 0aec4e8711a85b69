package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/eval"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// readSet reads a collection in BEIR's form, or a project's folder, with the questions
// that have an answer.
func readSet(folder string) (set *eval.Collection, err error) {
	if _, err = os.Stat(filepath.Join(folder, "corpus.jsonl")); err == nil {
		set, err = eval.Read(folder)
	} else {
		set, err = readProject(folder)
	}
	if err != nil {
		return nil, err
	}
	for i, d := range set.Documents {
		if d.Title != "" {
			set.Documents[i].Text = "# " + strings.Join(strings.Fields(d.Title), " ") + "\n\n" + d.Text
		}
	}
	set.Queries = slices.DeleteFunc(set.Queries, func(q eval.Query) bool {
		for _, grade := range set.Judged[q.ID] {
			if grade > 0 {
				return false
			}
		}
		return true
	})
	return set, nil
}

func readProject(folder string) (*eval.Collection, error) {
	var documents []eval.Document
	root := os.DirFS(folder)
	err := fs.WalkDir(root, project.DocsFolder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, path)
		documents = append(documents, eval.Document{ID: path, Text: string(content)})
		return err
	})
	if err != nil {
		return nil, err
	}
	return eval.ReadQueries(folder, documents)
}

// writeDocuments writes each document into a file, and returns the ids by the names of
// the files. The names say nothing of the documents.
func writeDocuments(folder string, documents []eval.Document) (map[string]string, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for i, d := range documents {
		name := fmt.Sprintf("d%05d.md", i)
		ids[name] = d.ID
		if err := os.WriteFile(filepath.Join(folder, name), []byte(d.Text), 0o600); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// ownFigure is compound-docs' nDCG@10.
func ownFigure(ctx context.Context, folder string) (eval.Estimate, error) {
	home, err := os.MkdirTemp("", "cdocs-compare-")
	if err != nil {
		return eval.Estimate{}, err
	}
	defer os.RemoveAll(home) //nolint:errcheck // an empty folder
	command := exec.CommandContext(ctx, "bin/compound-docs", "eval", "--corpus", folder,
		"--mode", "lexical", "--sizes", "0", "--json")
	command.Env = append(os.Environ(), "CDOCS_HOME="+home, "CDOCS_DATABASE_URL="+os.Getenv(testenv.EnvDatabaseURL))
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return eval.Estimate{}, fmt.Errorf("%w: %s", err, stderr.String())
	}
	var report struct {
		Measures []eval.Estimate `json:"measures"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		return eval.Estimate{}, fmt.Errorf("read the report: %w", err)
	}
	return report.Measures[0], nil
}
