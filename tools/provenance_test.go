package tools_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/toolexample"
)

// A critical source and a resource say who wrote the document last, in which commit, and
// whether what it says now is committed.
func TestProvenance(t *testing.T) {
	t.Parallel()
	c := connect(t, setup(t).server, protocolVersions()["stateless"])
	root := copyProject(t, "testdata/project")
	const path = "csharp-compounding-docs/problems/db-pool-exhaustion-20250115.md"
	repo := gitrepo.At(t, root)
	repo.Git("init", "-q", "-b", toolexample.Branch)
	repo.Git("add", "-A")
	repo.Git("commit", "-q", "-m", "work", "--author", "Ada Lovelace <ada@example.com>", "--date", "2026-01-02T12:00:00Z")
	c.activate(t, root)
	source := func() (provenance string) {
		var out struct {
			Sources []struct{ Path, Provenance string } `json:"sources"`
		}
		c.get(t, "rag_query", arguments{"query": "connection pool exhausted", "min_relevance_score": 0.1}, &out)
		for _, s := range out.Sources {
			if s.Path == "./"+path {
				provenance = s.Provenance
			} else if s.Provenance != "" {
				t.Errorf("%s, which is not critical, is %s", s.Path, s.Provenance)
			}
		}
		return provenance
	}
	resource := func() any {
		result, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cdocs://docs/" + path})
		if err != nil {
			t.Fatal(err)
		}
		return result.Contents[0].Meta["provenance"]
	}
	committed := regexp.MustCompile("^Ada Lovelace, 2026-01-02, commit [0-9a-f]{12}$")
	for begun := time.Now(); !committed.MatchString(source()) || resource() != source(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("a source says %q and a resource %q", source(), resource())
		}
	}
	want := source()
	repo.Put(path, repo.Read(path)+"\nMore.\n")
	if got := resource(); got != want+"; changes since are not committed" {
		t.Errorf("a changed document says %q", got)
	}
	repo.Put("csharp-compounding-docs/styles/new.md", "New.\n")
	result, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cdocs://docs/csharp-compounding-docs/styles/new.md"})
	if err != nil || result.Contents[0].Meta["provenance"] != "not committed" {
		t.Errorf("a new document is %+v, %v", result, err)
	}
}
