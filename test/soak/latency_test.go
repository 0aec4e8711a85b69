package soak_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const (
	// debounce is the default of the program.
	debounce = 500 * time.Millisecond
	// embedding is how long Ollama takes for a request.
	embedding = 50 * time.Millisecond
	// overhead is the time for everything else.
	overhead = 100 * time.Millisecond
	// judged is the least number of saves of which the median is judged.
	judged = 100
)

// From a save till semantic_search answers from it: by its words, for which the question
// alone is embedded.
//
//nolint:paralleltest // others would take from its time
func TestSoak_SaveToSearchable(t *testing.T) {
	repo := newRepository(t, 1)
	fake := fakeollama.Start(t)
	fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: embedding})
	in := install(t, repo.Root, testenv.DatabaseURL(t), fake, int(debounce.Milliseconds()))
	s, err := start(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	// The first call waits for the sync.
	if err := s.Call(t.Context(), "list_doc_types", nil, nil); err != nil {
		t.Fatal(err)
	}

	latencies := make([]time.Duration, *saves)
	for i := range latencies {
		latencies[i], err = s.saveAndFind(t.Context(), repo, i)
		if err != nil {
			t.Fatalf("save %d: %v\nthe server says:\n%s", i, err, s.Log)
		}
	}
	slices.Sort(latencies)
	median := latencies[len(latencies)/2]
	t.Logf("save to searchable over %d saves: median %v, least %v, most %v; of which the debounce is %v and an embedding %v",
		len(latencies), median, latencies[0], latencies[len(latencies)-1], debounce, embedding)
	if latencies[0] < debounce {
		t.Errorf("a save was found after %v, less than the debounce: it was not this save", latencies[0])
	}
	if bound := debounce + embedding + overhead; len(latencies) >= judged && median > bound {
		t.Errorf("the median is %v, more than %v", median, bound)
	}
}

// saveAndFind saves one of a few files under a title that it never had, and asks
// for the title till an answer has it.
func (s *server) saveAndFind(ctx context.Context, repo *repository, i int) (time.Duration, error) {
	title := fmt.Sprintf("zyxw%dv", i)
	name := fmt.Sprintf("%s/problems/saved-%d.md", docsDir, i%7)
	content := strings.Replace(repo.document(), "title: Matter", "title: "+title+" #", 1)
	began := time.Now()
	repo.Put(name, content)
	for time.Since(began) < indexstate.Settling {
		var answer struct {
			Results []struct {
				Path  string `json:"path"`
				Title string `json:"title"`
			} `json:"results"`
		}
		if err := s.Call(ctx, "semantic_search", map[string]any{"query": title, "min_relevance_score": 0, "limit": 100}, &answer); err != nil {
			return 0, err
		}
		for _, result := range answer.Results {
			if result.Title == title && result.Path == "./"+name {
				return time.Since(began), nil
			}
		}
	}
	return 0, fmt.Errorf("%s was not found within %v", name, indexstate.Settling)
}
