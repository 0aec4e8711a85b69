package holds

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// marks are those of the documents in testdata/outputs.txtar that must not be taken as they are.
var marks = map[string]string{
	"replaced.md": "superseded by ./docs/later.md", "amended.md": "amended by ./docs/addition.md",
	"rejected.md": "rejected", "draft.md": "proposed", "expired.md": "expired 2024-01-31",
	"older.md": "newer: ./docs/younger.md",
}

var named = regexp.MustCompile(`docs/(replaced|amended|rejected|draft|expired|older)\.md`)

// readsFiles matches outputs made without a search. A search alone finds a later document on the same subject.
var readsFiles = regexp.MustCompile(`^(?:about|graph|the page)`)

// unmarked returns the documents that an output names without their marks. Each mark stands once or more.
func unmarked(output string) (missing []string) {
	for _, found := range named.FindAllStringSubmatch(output, -1) {
		file := found[1] + ".md"
		if !strings.Contains(output, marks[file]) {
			missing = append(missing, file)
		}
	}
	return missing
}

func TestOutputs_MarkWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/outputs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fake := fakeollama.Start(t)
	repo := gitrepo.New(t)
	for _, file := range archive.Files {
		repo.Put(file.Name, string(file.Data))
	}
	repo.Git("init", "-q", "-b", "main")
	repo.Commit()
	installed := mcpclient.Installation{
		Program: testenv.Program(t), Root: repo.Root, Home: t.TempDir(), DatabaseURL: ragtest.IndexURL(t),
		OllamaHost: fake.URL(), Environment: []string{"CLAUDE_CONFIG_DIR=" + t.TempDir()},
	}
	command := func(arguments ...string) string {
		t.Helper()
		out, err := installed.Command(arguments...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", arguments, err, out)
		}
		return string(out)
	}
	command("init")
	command("sync")
	client, err := mcpclient.Start(t.Context(), installed.Command("serve"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // the server may end as it likes
	times := map[string]int{}
	check := func(what, output string) {
		t.Helper()
		if readsFiles.MatchString(what) {
			output = strings.ReplaceAll(output, "docs/older.md", "")
		}
		output = strings.ReplaceAll(output, "later than ./docs/older.md", "") // a hook says so of the other document
		for _, found := range named.FindAllStringSubmatch(output, -1) {
			times[found[1]+".md"]++
		}
		if missing := unmarked(output); len(missing) > 0 {
			t.Errorf("%s names without a mark %v:\n%s", what, missing, output)
		}
	}
	const question, aboutOlder = "how long is the ferry timetable of the harbour kept", "when is the lantern on the mast lit"
	checkTools(t.Context(), client, check, question)
	checkTools(t.Context(), client, check, aboutOlder)
	for _, prompt := range fake.Requests("/api/chat") {
		check("the prompt of the model", prompt.System+prompt.User)
	}
	for _, arguments := range [][]string{
		{"search", "--min-relevance-score", "0", question},
		{"search", "--min-relevance-score", "0", "--json", question},
		{"search", "--min-relevance-score", "0.999", question},
		{"search", "--min-relevance-score", "0.999", "--json", question},
		{"search", "timetable tugboat"},
		{"search", aboutOlder},
		{"search", "--min-relevance-score", "0.999", "--json", aboutOlder},
		{"ask", "--min-relevance-score", "0.999", aboutOlder},
		{"ask", "--min-relevance-score", "0", question},
		{"ask", "--min-relevance-score", "0", "--json", question},
		{"ask", "--min-relevance-score", "0.999", question},
		{"about", "src/ferry.go"},
		{"about", "--json", "src/ferry.go"},
		{"sync", "docs/neighbour.md"},
		{"sync", "docs/younger.md"},
	} {
		check(strings.Join(arguments, " "), command(arguments...))
	}
	page := filepath.Join(t.TempDir(), "page.html")
	command("page", "--output", page)
	content, err := os.ReadFile(page)
	repo.Must(err)
	check("the page", string(content))
	for file := range marks {
		if times[file] < 10 {
			t.Errorf("%s is named %d times only", file, times[file])
		}
	}
}

// checkTools looks at the answers of tools and hooks.
func checkTools(ctx context.Context, client *mcpclient.Client, check func(what, output string), question string) {
	for _, call := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"semantic_search", map[string]any{"query": question, "min_relevance_score": 0}}, // documents so much alike are not sure
		{"semantic_search", map[string]any{"query": question, "min_relevance_score": .999}},
		{"rag_query", map[string]any{"query": question, "max_sources": 8, "min_relevance_score": 0}},
		{"rag_query", map[string]any{"query": question, "min_relevance_score": .999}},
		{"index_document", map[string]any{"path": "docs/neighbour.md"}},
		{"index_document", map[string]any{"path": "docs/younger.md"}},
		{"recall", map[string]any{"event": "UserPromptSubmit", "session_id": "a" + question, "prompt": question}},
		{"recall", map[string]any{"event": "PreToolUse", "session_id": "b" + question, "tool_name": "Edit", "file_path": "src/ferry.go", "new_string": "x"}},
		{"recall", map[string]any{"event": "PreToolUse", "session_id": "c" + question, "tool_name": "Edit", "file_path": "src/ferry.go", "new_string": "x"}},
		{"recall", map[string]any{"event": "PostToolUseFailure", "session_id": "d" + question, "tool_name": "Bash", "command": "x", "error": "fatal: the timetable of the ferry is gone"}},
	} {
		text, _, err := client.Answer(ctx, call.tool, call.arguments)
		if err != nil {
			text = "docs/replaced.md: " + err.Error()
		}
		check(fmt.Sprint(call.tool, call.arguments), text)
	}
}
