package soak_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// maxCallTime bounds a call. PostgreSQL that says nothing is given up after 15 seconds, and a
// call may wait for a few other faults before it meets that one.
const maxCallTime = time.Minute

// maxAnswerTime bounds a call that writes an answer. A model that may have to be loaded has
// two minutes for the first piece, and each further piece may take a minute: a small machine
// needs that.
const maxAnswerTime = 4 * time.Minute

// finding is one of the documents that a search answers with.
type finding struct{ tool, path, text string }

// expected are the codes that a call may answer with when a service fails.
var expected = []string{"DATABASE_ERROR", "EMBEDDING_SERVICE_ERROR"}

// call calls a tool of the i-th server. An unexpected error, or no answer in time,
// fails the test.
func (w *faultyWorld) call(
	t *testing.T, s *server, i int, tool string, arguments map[string]any, also ...string,
) (text string, err error) {
	t.Helper()
	limit := maxCallTime
	if strings.HasPrefix(tool, "rag_query") {
		limit = maxAnswerTime
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	text, err = s.Text(ctx, tool, arguments)
	failure, failed := errors.AsType[*mcpclient.ToolError](err)
	w.mu.Lock()
	codes := slices.Concat(expected, also)
	if w.deleted {
		codes = append(codes, "PROJECT_NOT_ACTIVATED")
	}
	if w.answers++; failed {
		w.errors[failure.Code]++
	}
	w.mu.Unlock()
	if err != nil && (!failed || !slices.Contains(codes, failure.Code)) {
		t.Errorf("server %d, %s: %v", i, tool, err)
	}
	w.notef("server %d: %s %v: %v", i, tool, arguments, err)
	return text, err
}

// search makes one call that changes no file, and returns the documents in its answer.
func (w *faultyWorld) search(t *testing.T, s *server, i int, random *rand.Rand) []finding {
	t.Helper()
	query := fmt.Sprintf("Words of matter %d", random.IntN(50))
	question := map[string]any{"query": query, "min_relevance_score": 0.0}
	switch random.IntN(12) {
	case 0:
		_, _ = w.call(t, s, i, "list_doc_types", nil)
	case 1:
		if text, err := w.call(t, s, i, "search_handbook", map[string]any{"query": query + " cups"}); err == nil &&
			!strings.Contains(text, "Wash the cups") {
			t.Errorf("search_handbook answers %s", text)
		}
	case 2:
		if text, err := w.call(t, s, i, "ping", map[string]any{"message": query}); err != nil || text != "pong: "+query {
			t.Errorf("ping answers %q, %v", text, err)
		}
	case 3:
		_, _ = w.call(t, s, i, "delete_documents", map[string]any{"project_name": "soak", "dry_run": true})
	case 4:
		question["mode"] = []string{"hybrid", "lexical", "vector"}[random.IntN(3)]
		return w.find(t, s, i, "search_external_docs", question)
	case 5:
		return w.find(t, s, i, "rag_query_external", question)
	case 6, 7:
		return w.find(t, s, i, "rag_query", question)
	default:
		question["mode"] = []string{"hybrid", "lexical", "vector"}[random.IntN(3)]
		return w.find(t, s, i, "semantic_search", question)
	}
	return nil
}

func (w *faultyWorld) find(t *testing.T, s *server, i int, tool string, question map[string]any) (found []finding) {
	t.Helper()
	text, err := w.call(t, s, i, tool, question)
	if err != nil {
		return nil
	}
	type document struct {
		Path    string `json:"path"`
		Summary string `json:"summary"`
	}
	var answer struct {
		Results []document `json:"results"`
		Sources []document `json:"sources"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Errorf("%s: %v in %s", tool, err, text)
	}
	for _, d := range slices.Concat(answer.Results, answer.Sources) {
		if strings.Contains(d.Path, externalDir) {
			d.Summary = "" // of a text without front matter it is a part of the text
		}
		found = append(found, finding{tool, d.Path, d.Summary})
	}
	return found
}

// write calls the tools that write, one after the other, while nothing else does.
func (w *faultyWorld) write(t *testing.T, random *rand.Rand) {
	t.Helper()
	for range 2 + random.IntN(4) {
		i := random.IntN(len(w.servers))
		s := w.servers[i]
		name := w.repo.one(slices.DeleteFunc(w.repo.list(false, docsDir), func(name string) bool {
			return path.Ext(name) != ".md" || strings.HasPrefix(path.Base(name), ".")
		}))
		if name == "" {
			return
		}
		switch random.IntN(6) {
		case 0:
			w.mu.Lock()
			w.deleted = true
			w.mu.Unlock()
			_, _ = w.call(t, s, i, "delete_documents", map[string]any{"project_name": "soak"})
			_, _ = w.call(t, s, i, "activate_project", w.activation())
		case 1, 2:
			w.promote(t, s, i, name, []string{"standard", "important", "critical"}[random.IntN(3)])
		default:
			w.index(t, s, i, name)
		}
	}
}

// index checks that a document which was indexed is in the index as it is on disk.
func (w *faultyWorld) index(t *testing.T, s *server, i int, name string) {
	t.Helper()
	if _, err := w.call(t, s, i, "index_document", map[string]any{"path": name}, "SCHEMA_VALIDATION_FAILED"); err != nil {
		return
	}
	hash := sha256.Sum256([]byte(w.repo.Read(name)))
	var there bool
	if err := w.pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM documents WHERE relative_path = $1 AND content_hash = $2)",
		name, hash[:]).Scan(&there); err != nil || !there {
		t.Errorf("index_document has indexed %q, and it is not in the index as on disk (%v)", name, err)
	}
}

// promote checks that a file has its new level if the call says so, and else the new or
// the old one, and that nothing else of it has changed.
func (w *faultyWorld) promote(t *testing.T, s *server, i int, name, level string) {
	t.Helper()
	before := w.repo.Read(name)
	_, err := w.call(t, s, i, "update_promotion_level", map[string]any{"document_path": name, "promotion_level": level},
		"SCHEMA_VALIDATION_FAILED", "DOCUMENT_NOT_FOUND")
	content, readErr := os.ReadFile(w.repo.Path(name))
	after := string(content)
	line := "promotion_level: " + level + "\n"
	has := strings.Contains(after, line) || level == "standard" && !strings.Contains(after, "promotion_level: ")
	if readErr != nil || err == nil && !has || err != nil && after != before && !has || withoutLevel(before) != withoutLevel(after) {
		t.Errorf("update_promotion_level of %q to %s: %v, and the file becomes (%v)\n%s\nfrom\n%s", name, level, err, readErr, after, before)
	}
}

func withoutLevel(content string) string {
	lines := strings.SplitAfter(content, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "promotion_level: ") }), "")
}
