package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/testenv"
)

const token = "ghp_secrettoken"

// hostileRepository has links to what is hidden, under the names of documents.
func hostileRepository(t *testing.T, external string) (root string) {
	t.Helper()
	root = newProject(t, map[string]string{
		".csharp-compounding-docs/config.json": `{"project_name": "hostile", "external_docs": {"path": "` + external + `"}}`,
		".git/HEAD":                            "ref: refs/heads/main\n",
		".git/config":                          "[remote] url = https://" + token + "@example.org/x.git\n",
		".env":                                 "TOKEN=" + token + "\n",
		"guides/.secret/k.md":                  "# Key\n\n" + token + "\n",
		"guides/good.md":                       "# Good\n\nA guide about remotes.\n",
		"csharp-compounding-docs/tools/a.md":   document("Alpha", "Remotes."),
		"csharp-compounding-docs/.env":         document("Env", token),
	})
	for link, target := range map[string]string{
		"x.md": ".git/config", "y.md": ".env", "guides/z.md": "../.env", "guides/k.md": ".secret/k.md", "folder": ".git",
		"csharp-compounding-docs/tools/e.md": "../.env", "csharp-compounding-docs/tools/up.md": "../../.env",
	} {
		must(t, os.Symlink(target, filepath.Join(root, link)))
	}
	return root
}

// A link to a hidden file gets into no answer, whichever way it is asked for.
func TestServe_LinksToHiddenFilesShowNothing(t *testing.T) {
	t.Parallel()
	for _, external := range []string{".", "guides"} {
		t.Run(external, func(t *testing.T) {
			t.Parallel()
			environment, _ := services(t)
			session := connect(t, server(t, environment...))
			root := hostileRepository(t, external)
			var answer json.RawMessage
			call(t, session, "activate_project", activation(root), &answer)
			seen := string(answer)
			ask := func(tool string, arguments map[string]any) {
				t.Helper()
				call(t, session, tool, arguments, &answer)
				seen += string(answer)
			}
			query := map[string]any{"query": "remote token", "min_relevance_score": 0}
			for _, tool := range []string{"semantic_search", "rag_query", "search_external_docs", "rag_query_external"} {
				ask(tool, query)
			}
			if !strings.Contains(string(answer), "guides/good.md") {
				t.Errorf("the visible guide is missing in %s", answer)
			}
			ask("index_document", map[string]any{"path": "tools/e.md"})
			ask("index_document", map[string]any{"path": "tools/up.md"})
			ask("update_promotion_level", map[string]any{"document_path": "tools/e.md", "promotion_level": "critical"})
			if strings.Contains(seen, token) || strings.Contains(seen, "TOKEN=") {
				t.Errorf("a hidden file is shown: %s", seen)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A named pipe in the place of a file or folder makes nothing wait, neither an
// answer nor the end.
func TestServe_NamedPipesDoNotBlock(t *testing.T) {
	t.Parallel()
	const custom = `{"project_name": "a", "external_docs": {"path": "./manual"},
		"custom_doc_types": [{"name": "adr", "folder": "adr", "schema_file": "schemas/adr.yaml"}]}`
	for _, place := range []string{
		"csharp-compounding-docs", ".csharp-compounding-docs/config.json", "csharp-compounding-docs/schemas/adr.yaml", "manual",
		".git/HEAD", ".git/packed-refs", ".git/index.lock", ".git/refs/heads/main", ".git", "manual/a.md", "csharp-compounding-docs/tools/a.md",
	} {
		for _, when := range []string{"from the beginning", "while it runs"} {
			t.Run(place+" "+when, func(t *testing.T) {
				t.Parallel()
				if when == "while it runs" && strings.HasPrefix(place, ".git/") {
					testenv.Slow(t, "more files are pipes")
				}
				environment, _ := services(t)
				root := newProject(t, map[string]string{
					".csharp-compounding-docs/config.json": custom, "manual/a.md": "# A\n", "csharp-compounding-docs/tools/a.md": document("A", "B"),
					"csharp-compounding-docs/schemas/adr.yaml": "type: object\n", ".git/HEAD": "ref: refs/heads/main\n",
					".git/refs/heads/main": strings.Repeat("a", 40), ".git/packed-refs": "", ".git/index.lock": "",
				})
				must(t, os.Remove(filepath.Join(root, ".git/index.lock")))
				spoil := func() {
					path := filepath.Join(root, place)
					must(t, os.RemoveAll(path))
					must(t, syscall.Mkfifo(path, 0o600))
				}
				if when == "from the beginning" {
					spoil()
				}
				p := startProcess(t, environment...)
				p.begin(t, "activate_project", activation(root))
				p.answer(t)
				if when == "while it runs" {
					spoil()
				}
				for _, tool := range []string{"list_doc_types", "search_external_docs", "activate_project", "index_document"} {
					arguments := map[string]map[string]any{
						"search_external_docs": {"query": "a"}, "activate_project": activation(root), "index_document": {"path": "tools/a.md"},
					}[tool]
					p.begin(t, tool, arguments)
					p.answerWithin(t, 30*time.Second)
				}
				p.mustEnd(t, endings()["EOF"])
			})
		}
	}
}

// answerWithin fails if no message comes in time: the server is stuck.
func (p *process) answerWithin(t *testing.T, within time.Duration) string {
	t.Helper()
	answer := make(chan string, 1)
	go func() {
		if p.answers.Scan() {
			answer <- p.answers.Text()
		}
	}()
	select {
	case text := <-answer:
		return text
	case <-time.After(within):
		t.Fatal("no answer within ", within)
		return ""
	}
}
