package tools_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/jackc/pgx/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
	"github.com/compound-docs/compound-docs/tools"
)

const craneFile = "csharp-compounding-docs/insights/harbour.md"

// lockTable holds a table's lock of a mode until the test calls release.
func lockTable(t *testing.T, databaseURL, table, mode string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), "LOCK TABLE "+table+" IN "+mode+" MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := errors.Join(tx.Rollback(t.Context()), conn.Close(t.Context())); err != nil {
			t.Error(err)
		}
	}
}

// failWithin calls a tool that must fail with the code in about the time given, and name what
// hangs.
func (c client) failWithin(t *testing.T, within time.Duration, code, names, tool string, arguments any) {
	t.Helper()
	const slack = 3 * time.Second // for a machine under load
	began := time.Now()
	e := c.fail(t, tool, arguments)
	if took := time.Since(began); took > within+slack || e.Code != code || !strings.Contains(e.Message, names) {
		t.Errorf("%s fails after %s with %s: %s; want %s with %q in %s", tool, took, e.Code, e.Message, code, names, within)
	}
}

// A lock in the database keeps no call longer than its deadline. The file has what the call wrote,
// and the index follows when the lock is gone.
func TestDeadline_LockInTheDatabase(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "deadlines have to pass")
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	root := newProject(t, `{"project_name": "p"}`, map[string]string{craneFile: insight("Harbour crane", "standard", "The schedule of the harbour crane.")})
	c.activate(t, root)
	release := lockTable(t, f.databaseURL, "documents", "ACCESS EXCLUSIVE")
	const hangs = "pg_stat_activity"
	c.failWithin(t, 5*time.Second, "DATABASE_ERROR", hangs, "semantic_search", arguments{"query": "harbour crane", "mode": "lexical"})
	c.failWithin(t, 15*time.Second, "DATABASE_ERROR", hangs, "index_document", arguments{"path": craneFile})
	longer := []string{"activate_project", "index_document", "update_promotion_level", "delete_documents", "rag_query", "rag_query_external"}
	var calls sync.WaitGroup
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			if slices.Contains(longer, tool.Name) {
				continue
			}
			calls.Go(func() {
				began, example := time.Now(), readExamples(t, tool.Name).Cases[0]
				c.ask(t, tool.Name, example.ArgumentsAt(root))
				if took := time.Since(began); took > 8*time.Second {
					t.Errorf("%s answers after %s, want an answer within 5s", tool.Name, took)
				}
			})
		}
	}
	calls.Wait()
	c.failWithin(t, 15*time.Second, "DATABASE_ERROR", "the file has the new level", "update_promotion_level",
		arguments{"document_path": craneFile, "promotion_level": "critical"})
	release()
	var found struct {
		Results []any `json:"results"`
	}
	for began := time.Now(); len(found.Results) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatal("the index does not follow the file that was promoted")
		}
		c.get(t, "semantic_search", arguments{
			"query": "harbour crane", "promotion_levels": []string{"critical"}, "min_relevance_score": 0, "mode": "lexical",
		}, &found)
	}
}

// An Ollama that answers small requests and hangs with vectors: a hybrid search goes on by words,
// and a call that needs vectors says what hangs.
func TestDeadline_SilentOllama(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "deadlines have to pass")
	settings := project.DefaultSettings()
	settings.GenerationWaitSeconds = 5
	f := setupWith(t, settings)
	c := connect(t, f.server, protocolVersions()["handshake"])
	root := newProject(t, `{"project_name": "p"}`, map[string]string{craneFile: insight("Harbour crane", "standard", "The schedule of the harbour crane.")})
	c.activate(t, root)
	f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: time.Hour})
	began := time.Now()
	var found struct {
		Results []any  `json:"results"`
		Reason  string `json:"mode_reason"`
	}
	c.get(t, "semantic_search", arguments{"query": "harbour crane", "min_relevance_score": 0}, &found)
	if took := time.Since(began); took > 5*time.Second || len(found.Results) == 0 || !strings.HasPrefix(found.Reason, "by words and built-in vectors: ") ||
		!strings.Contains(found.Reason, "no answer in time") {
		t.Errorf("a hybrid search answers %+v after %s, want one by words and built-in vectors", found, took)
	}
	for _, within := range []time.Duration{300 * time.Millisecond, 0} { // the second hook goes by words at once
		began = time.Now()
		if a := c.ask(t, "recall", arguments{"event": "UserPromptSubmit", "session_id": "1", "prompt": "Harbour crane schedule"}); a.IsError ||
			time.Since(began) > within+500*time.Millisecond {
			t.Errorf("recall answers %s after %s, want %s", a.Text, time.Since(began), within)
		}
	}
	var answered struct {
		Answer string `json:"answer"`
	}
	f.fake.SetFaults(fakeollama.Faults{Delay: time.Hour})
	began = time.Now()
	c.get(t, "rag_query", arguments{"query": "when does the crane work?", "min_relevance_score": 0}, &answered)
	if took := time.Since(began); took > 12*time.Second || !strings.Contains(answered.Answer, "crane") {
		t.Errorf("rag_query answers %q after %s, want quotations within 10s", answered.Answer, took)
	}
	f.fake.SetFaults(fakeollama.Faults{Paths: []string{"/api/embed"}, Delay: time.Hour})
	c.failWithin(t, 5*time.Second, "EMBEDDING_SERVICE_ERROR", "without `mode", "semantic_search",
		arguments{"query": "harbour schedule", "mode": "vector"})
	write(t, root, craneFile, insight("Harbour crane", "standard", "The schedule of the new harbour crane."))
	began = time.Now()
	var indexed struct {
		Embedded bool   `json:"embedded"`
		Reason   string `json:"embedded_reason"`
	}
	c.get(t, "index_document", arguments{"path": craneFile}, &indexed)
	if took := time.Since(began); took > 8*time.Second || indexed.Embedded || !strings.Contains(indexed.Reason, "no answer") {
		t.Errorf("index_document answers %+v after %s", indexed, took)
	}
}

// An activation that waits for a lock keeps no other call longer than that call's own deadline.
func TestDeadline_Activation(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "deadlines have to pass")
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	root := newProject(t, `{"project_name": "p"}`, map[string]string{craneFile: insight("Harbour crane", "standard", "The schedule of the harbour crane.")})
	other := newProject(t, `{"project_name": "q"}`, map[string]string{craneFile: insight("Harbour crane", "standard", "The schedule of the harbour crane.")})
	c.activate(t, root)
	release := lockTable(t, f.databaseURL, "tenants", "ACCESS EXCLUSIVE")
	defer release()
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			c.failWithin(t, 15*time.Second, "DATABASE_ERROR", "pg_stat_activity", "activate_project", activation(other))
		})
	}
	calls.Wait()
}

// The page of a project has a deadline too, which is that of an activation.
func TestDeadline_Page(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "deadlines have to pass")
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	root := newProject(t, `{"project_name": "p"}`, map[string]string{craneFile: insight("Harbour crane", "standard", "The schedule of the harbour crane.")})
	c.activate(t, root)
	write(t, root, ".csharp-compounding-docs/config.json", `{"project_name": "other"}`) // which is activated first
	release := lockTable(t, f.databaseURL, "tenants", "ACCESS EXCLUSIVE")
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 55*time.Second)
	defer cancel()
	_, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: "ui://compound-docs/page"})
	var data toolError
	_ = wireError(t, err, &data)
	if data.Code != "DATABASE_ERROR" {
		t.Errorf("the page fails with %+v", data)
	}
}

// The first search of a project with very many files does not wait for them. Its answer says how many are
// pending.
func TestDeadline_FirstSearchBesideManyFiles(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "100,000 files are written")
	const files = 100_000
	root := newProject(t, `{"project_name": "p"}`, map[string]string{craneFile: insight("Harbour crane", "standard", "The schedule of the harbour crane.")})
	folder := filepath.Join(root, "csharp-compounding-docs", "insights")
	for i := range files {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.md", i)), fmt.Appendf(nil, "# Note %d\n\nOf a crane.\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	roots.AddRoots(&mcp.Root{URI: "file://" + root}) //nolint:staticcheck // deprecated, and in use
	c := connectAs(t, setup(t).server, protocolVersions()["handshake"], roots)
	var found struct {
		Index struct {
			Pending int `json:"pending"`
		} `json:"index"`
	}
	const within, slack = 5 * time.Second, 3 * time.Second // for a machine under load
	began := time.Now()
	c.get(t, "semantic_search", arguments{"query": "harbour crane", "mode": "lexical"}, &found)
	if took := time.Since(began); took > within+slack || found.Index.Pending == 0 {
		t.Errorf("the first search beside %d files answers after %s, want %s, and %d files are pending", files, took, within, found.Index.Pending)
	}
}

// Whatever hangs, a hook of each event ends within a second.
func TestDeadline_EachHook(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "deadlines have to pass")
	const slack = 900 * time.Millisecond // for a machine under load
	events := map[string]arguments{
		"prompt":   prompt("1", "why does PgxPoolExhausted come, was the connection pool exhausted by leaked connections?"),
		"command":  command("1", warned),
		"failure":  after("PostToolUseFailure", "1", "bin/tide", "Exit code 1\ntide import: no almanac for day 2 of harbour 9"),
		"success":  after("PostToolUse", "1", "bin/tide", ""),
		"edit":     {"event": "PreToolUse", "session_id": "1", "tool_name": "Write", "file_path": "1.sql", "content": "alter table ships add column x int;"},
		"task":     {"event": "PreToolUse", "session_id": "1", "tool_name": "Agent", "prompt": "why does PgxPoolExhausted come?"},
		"subagent": {"event": "SubagentStart", "session_id": "1", "agent_type": "Explore"},
		"compact":  {"event": "PreCompact", "session_id": "1"},
	}
	for name, hang := range map[string]func(t *testing.T, f *fixture, proxy *testenv.FaultProxy) (release func()){
		"a lock in the database": func(t *testing.T, f *fixture, _ *testenv.FaultProxy) func() {
			t.Helper()
			return lockTable(t, f.databaseURL, "documents", "ACCESS EXCLUSIVE")
		},
		"a silent database": func(t *testing.T, _ *fixture, proxy *testenv.FaultProxy) func() {
			t.Helper()
			proxy.Stall()
			return proxy.Open
		},
		"a silent Ollama": func(t *testing.T, f *fixture, _ *testenv.FaultProxy) func() {
			t.Helper()
			f.fake.SetFaults(fakeollama.Faults{Delay: time.Hour})
			return func() { f.fake.SetFaults(fakeollama.Faults{}) }
		},
		"another process with the sessions": func(t *testing.T, f *fixture, _ *testenv.FaultProxy) func() {
			t.Helper()
			lock := flock.New(filepath.Join(f.home, "recalls", ".lock"))
			if err := lock.Lock(); err != nil {
				t.Fatal(err)
			}
			return func() { _ = lock.Unlock() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := testenv.IndexURL(t)
			proxy, through := testenv.NewDatabaseProxy(t, direct)
			f := setupOn(t, project.DefaultSettings(), through)
			f.databaseURL = direct
			h := newHooksOn(t, `{"project_name": "p"}`, f)
			h.call(t, command("0", warned)) // what documents quote is known
			defer hang(t, f, proxy)()
			for event, in := range events {
				c := connect(t, f.restart(), protocolVersions()["handshake"])
				began := time.Now()
				a := c.ask(t, "recall", in)
				if took := time.Since(began); a.IsError || took > time.Second+slack {
					t.Errorf("%s: recall answers %s after %s, want an answer within a second", event, a.Text, took)
				}
			}
		})
	}
}

// Hooks speak again at once after the database has hung, however often that was before: a hang silences only the hooks
// that come during it.
func TestDeadline_HooksSpeakAgain(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "deadlines have to pass")
	direct := testenv.IndexURL(t)
	f := setupOn(t, project.DefaultSettings(), direct)
	f.databaseURL = direct
	h := newHooksOn(t, `{"project_name": "p"}`, f)
	for i := range 3 {
		release := lockTable(t, direct, "document_chunks", "ACCESS EXCLUSIVE")
		hung := h.call(t, command(fmt.Sprint("hung", i), warned))
		release()
		again := ""
		for began := time.Now(); again == "" && time.Since(began) < time.Second; { // a machine under load
			again = h.call(t, command(fmt.Sprint("again", i), warned))
		}
		if hung != "" || again == "" {
			t.Errorf("time %d: recall says %q while the database hangs, and then %q", i, hung, again)
		}
	}
}
