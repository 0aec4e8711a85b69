package main_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// insight is a valid document of the level with the given lines in its body.
func insight(title, level string, lines ...string) string {
	return fmt.Sprintf("---\ntitle: %q\ndate: 2026-01-02\nsummary: About a subject\nsignificance: correctness\n"+
		"insight_type: domain_knowledge\nimpact_area: everything\npromotion_level: %s\n---\n\n%s\n",
		title, level, strings.Join(lines, "\n"))
}

// contextAnswer has the fields of an answer of rag_query that the tests of the context check.
type contextAnswer struct {
	ragAnswer

	OmittedCount int `json:"omitted_count"`
}

// manySources is a project of documents of random sizes. Each line and summary begins with a word
// that no other document has.
type manySources struct {
	files              map[string]string
	markers            map[string]string // by path as answers write it
	standard, critical int
}

func randomSources(random *rand.Rand) manySources {
	s := manySources{
		files: map[string]string{}, markers: map[string]string{},
		standard: 1 + random.IntN(100), critical: 1 + random.IntN(40),
	}
	words := strings.Fields("connection pool timeout deploy retry queue index shard lease cursor token budget")
	for i := range s.standard + s.critical {
		level := "standard"
		if i < s.critical {
			level = "critical"
		}
		marker := fmt.Sprintf("marker%dx", i)
		var lines []string
		for size := 50 + random.IntN(1+random.IntN(6000)); size > 0; size -= 60 {
			line := marker
			for range 8 {
				line += " " + words[random.IntN(len(words))]
			}
			lines = append(lines, line, "")
		}
		name := fmt.Sprintf("csharp-compounding-docs/insights/doc-%03d.md", i)
		text := insight("A document "+words[random.IntN(len(words))], level, lines...)
		s.files[name] = strings.Replace(text, "summary: ", "summary: "+marker+" ", 1) // front matter is quoted too
		s.markers["./"+name] = marker
	}
	return s
}

// However many documents there are and however long they are, the answer names
// those whose text the language model was given, and counts the others.
func TestServe_SourcesAreWhatTheModelWasGiven(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for round := range 5 {
		documents := randomSources(random)
		maxSources := 1 + random.IntN(100)
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			t.Logf("%d standard and %d critical documents, max_sources %d", documents.standard, documents.critical, maxSources)
			documents.check(t, maxSources)
		})
	}
}

func (s manySources) check(t *testing.T, maxSources int) {
	t.Helper()
	fake := fakeollama.Start(t)
	session := connect(t, server(t, "CDOCS_DATABASE_URL="+ragtest.IndexURL(t), "CDOCS_OLLAMA_HOST="+fake.URL()))
	activateWhole(t, session, newProject(t, s.files))
	const question = "why does the connection pool time out"
	var answer contextAnswer
	if call(t, session, "rag_query", map[string]any{
		"query": question, "max_sources": maxSources, "min_relevance_score": 0,
	}, &answer) {
		t.Fatal("rag_query fails")
	}
	chats := fake.Requests("/api/chat")
	if len(chats) != 1 || len(answer.Sources) == 0 {
		t.Fatalf("%d prompts and %d sources, want a prompt and sources", len(chats), len(answer.Sources))
	}
	named := map[string]bool{}
	for _, path := range answer.paths() {
		named[path] = true
	}
	for path, marker := range s.markers {
		if given := strings.Contains(chats[0].User, marker+" "); given != named[path] {
			t.Errorf("%s is named: %v, its text was given: %v", path, named[path], given)
		}
	}
	found := s.critical + min(s.standard, maxSources)
	if diff := cmp.Diff(found, len(named)+answer.OmittedCount); diff != "" {
		t.Errorf("documents named or omitted (-want +got):\n%s", diff)
	}
	// A token has two characters at least in these texts.
	if size := len(chats[0].System) + len(chats[0].User); size > 2*4096*4 {
		t.Errorf("a prompt of %d bytes does not fit a window of 8192 tokens", size)
	}
	best := nearest(t, session, question)
	if !slices.ContainsFunc(best, func(path string) bool { return named[path] }) {
		t.Errorf("of the documents nearest to the question, %v, none is named", best)
	}
	must(t, session.Close())
}

// nearest returns the documents of the highest relevance, as far as rounded scores
// tell them apart.
func nearest(t *testing.T, session *mcpclient.Client, question string) (paths []string) {
	t.Helper()
	const rounding = 0.001
	best := 0.0
	var found struct {
		Results []struct {
			Path           string  `json:"path"`
			RelevanceScore float64 `json:"relevance_score"`
		} `json:"results"`
	}
	call(t, session, "semantic_search", map[string]any{"query": question, "min_relevance_score": 0, "limit": 100}, &found)
	for _, result := range found.Results {
		switch {
		case result.RelevanceScore > best+rounding:
			best, paths = result.RelevanceScore, []string{result.Path}
		case result.RelevanceScore >= best-rounding:
			paths = append(paths, result.Path)
		}
	}
	return paths
}
