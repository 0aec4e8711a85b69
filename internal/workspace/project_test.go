package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

const docs = "csharp-compounding-docs/problems/"

// answerText is all that a question's context held.
func answerText(t *testing.T, f *fixture) string {
	t.Helper()
	chats := f.fake.Requests("/api/chat")
	return chats[len(chats)-1].User
}

func TestActive_NoAnswerFromAnotherBranch(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		docs + "limit.md":  problem("Rate limit", "The rate limit is forty requests."),
		docs + "common.md": problem("Common", "The rate limit is documented elsewhere."),
	})
	f.Git("init", "-q", "-b", "main")
	f.Git("add", ".")
	f.Git("commit", "-q", "-m", "main")
	f.Git("switch", "-q", "-c", "other")
	f.Put(docs+"limit.md", problem("Rate limit", "A new first line.\n\nThe rate limit is fifty requests."))
	f.Put(docs+"only-other.md", problem("Only other", "The rate limit of the other branch."))
	f.Git("add", ".")
	f.Git("commit", "-q", "-m", "other")
	f.Git("switch", "-q", "main")

	s := f.server(t)
	f.activate(t, s, "main")
	for i := range 6 {
		branch, holds, lacks := "other", "fifty", "forty"
		if i%2 == 1 {
			branch, holds, lacks = "main", "forty", "fifty"
		}
		f.Git("switch", "-q", branch)
		active, err := s.Active(t.Context())
		f.Must(err)
		if active.Tenant.Key.Branch != branch {
			t.Fatalf("after git switch the branch is %q, want %q", active.Tenant.Key.Branch, branch)
		}
		answered, err := s.Answerer.Ask(t.Context(), active.Compounding(), answer.Question{
			Query: rag.Query{Text: "what is the rate limit", Limit: 10}, MinLevel: catalog.Standard,
		})
		f.Must(err)
		text := answerText(t, f)
		if !strings.Contains(text, holds) || strings.Contains(text, lacks) {
			t.Fatalf("on %s the context must hold %q and not %q:\n%s", branch, holds, lacks, text)
		}
		names := func(path string) bool {
			return slices.ContainsFunc(answered.Sources, func(hit rag.Hit) bool { return hit.Path == path })
		}
		if names(docs+"only-other.md") != (branch == "other") {
			t.Fatalf("on %s the sources are %v", branch, answered.Sources)
		}
	}
}
