package soak_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// burrows is a repository whose documents are rewritten under their reader. Each has a
// word that stays, on a line that moves.
type burrows struct {
	*gitrepo.Repo

	random *rand.Rand
	away   []int // documents that are moved away
}

const (
	burrowCount = 8
	// debounce is the default of the program.
	debounce = 500 * time.Millisecond
)

func (b *burrows) name(i int) string { return fmt.Sprintf("%s/problems/burrow-%d.md", docsDir, i) }

func (b *burrows) text(i int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "---\ntitle: Burrow %d\ndate: 2026-01-02\nsummary: A burrow\nsignificance: correctness\n"+
		"problem_type: bug\nsymptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n---\n", i)
	for line := range b.random.IntN(5) {
		fmt.Fprintf(&text, "\n## Chamber %d\n\nNobody lives in %d.\n", line, b.random.IntN(100))
	}
	fmt.Fprintf(&text, "\n## Marmots\n\nHere sleeps marmot%dx in bed %d.\n", i, 100+b.random.IntN(900))
	return text.String()
}

// disturb rewrites, moves away or brings back one of the documents.
func (b *burrows) disturb() {
	i := b.random.IntN(burrowCount)
	kind := b.random.IntN(6)
	switch {
	case len(b.away) > 0 && kind < 4: // a backup is brought back, with its times
		i, b.away = b.away[0], b.away[1:]
		b.Rename(outsideDir+"/"+b.name(i), b.name(i))
	case kind == 4 && len(b.away) == 0:
		b.away = append(b.away, i)
		b.Rename(b.name(i), outsideDir+"/"+b.name(i))
	case len(b.away) > 0 && b.away[0] == i:
	case kind == 0: // as editors do
		b.Put("aside.md", b.text(i))
		b.Rename("aside.md", b.name(i))
	case kind == 1: // the modification time stays
		before, err := os.Stat(b.Path(b.name(i)))
		b.Must(err)
		b.Put(b.name(i), b.text(i))
		b.Must(os.Chtimes(b.Path(b.name(i)), before.ModTime(), before.ModTime()))
	default:
		b.Put(b.name(i), b.text(i))
	}
}

// burrowAnswer is an answer of semantic_search.
type burrowAnswer struct {
	Results []struct {
		Path      string `json:"path"`
		Snippet   string `json:"snippet"`
		StartLine int    `json:"start_line"`
		EndLine   int    `json:"end_line"`
	} `json:"results"`
	Index *mcpclient.Index `json:"index"`
}

// faults says what is wrong with the answer to the question for a document: a result whose
// lines do not hold its snippet, or that the document, which is on disk, is not among them.
func (b *burrows) faults(answer burrowAnswer, asked string) (faults []string) {
	found := false
	for _, result := range answer.Results {
		found = found || result.Path == "./"+asked
		content, err := os.ReadFile(b.Path(result.Path))
		lines := strings.Split(string(content), "\n")
		if err != nil || result.EndLine > len(lines) {
			faults = append(faults, fmt.Sprintf("%s has no line %d: %v", result.Path, result.EndLine, err))
			continue
		}
		passage := strings.ReplaceAll(strings.Join(lines[result.StartLine-1:result.EndLine], " "), "## ", "") // as a snippet has it
		there := strings.Join(strings.Fields(passage), " ")
		if !strings.Contains(there, strings.Trim(result.Snippet, "…")) {
			faults = append(faults, fmt.Sprintf("%s:%d-%d is %q, not %q", result.Path, result.StartLine, result.EndLine, there, result.Snippet))
		}
	}
	if _, err := os.Stat(b.Path(asked)); err == nil && !found {
		faults = append(faults, asked+" is missing")
	}
	return faults
}

// No answer names lines that do not hold its snippet, or lacks a document that is on disk,
// without saying that the index is behind: on the server that indexes and on another,
// from the moment of a save, and during sync --force.
func TestSoak_NoOutdatedAnswer(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "files change at random while they are asked for")
	b := &burrows{Repo: gitrepo.New(t), random: rand.New(rand.NewPCG(chooseSeed(t, "operations"), 0))}
	b.Put(".csharp-compounding-docs/config.json", `{"project_name": "burrows"}`)
	for i := range burrowCount {
		b.Put(b.name(i), b.text(i))
	}
	in := install(t, b.Root, testenv.DatabaseURL(t), fakeollama.Start(t), int(debounce.Milliseconds()))
	fleet := startFleetOf(t, in, 2)
	for _, s := range fleet.servers {
		s.calls.Wait()
	}
	var reindexing sync.WaitGroup
	defer reindexing.Wait()
	current, admitted := 0, 0
	for range max(*operations/8, 10) {
		for range 1 + b.random.IntN(2) {
			b.disturb()
		}
		if b.random.IntN(10) == 0 {
			reindexing.Wait()
			reindexing.Go(func() {
				if out, err := in.Command("sync", "--force").CombinedOutput(); err != nil {
					t.Errorf("sync --force: %v: %s", err, out)
				}
			})
		}
		time.Sleep(time.Duration(b.random.IntN(1200)) * time.Millisecond) // this long ago it was saved
		asked, server := b.random.IntN(burrowCount), b.random.IntN(len(fleet.servers))
		var answer burrowAnswer
		if err := fleet.servers[server].Call(t.Context(), "semantic_search", map[string]any{
			"query": fmt.Sprintf("marmot%dx", asked), "min_relevance_score": 0, "mode": "lexical",
		}, &answer); err != nil {
			t.Fatal(err)
		}
		faults := b.faults(answer, b.name(asked))
		switch behind := answer.Index != nil && (answer.Index.Pending > 0 || answer.Index.Waiting != ""); {
		case behind && len(faults) > 0:
			admitted++
		case len(faults) > 0:
			t.Errorf("server %d says nothing of being behind: %s", server, strings.Join(faults, "; "))
		case !behind:
			current++
		}
	}
	t.Logf("%d answers were outdated and said so, %d were up to date", admitted, current)
	if admitted == 0 || current == 0 {
		t.Error("no answer was outdated, or none up to date: it shows nothing")
	}
}
