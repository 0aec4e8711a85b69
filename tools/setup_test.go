package tools_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/rag/ollama"
	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
	"github.com/compound-docs/compound-docs/test/toolexample"
	"github.com/compound-docs/compound-docs/tools"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// protocolVersions are the two ways in which clients talk to a server: with the
// handshake of initialize, and stateless after server/discover.
func protocolVersions() map[string]string {
	return map[string]string{"handshake": "2025-11-25", "stateless": "2026-07-28"}
}

// fixture is a server on a new database, with fake models.
type fixture struct {
	server      *mcp.Server
	handler     *tools.Handler
	index       *index.Index
	fake        *fakeollama.Server
	databaseURL string
	// restart returns a new server on the same workspace and home.
	restart func() *mcp.Server
	home    string
}

func setup(t *testing.T) *fixture {
	t.Helper()
	return setupWith(t, project.DefaultSettings())
}

func setupWith(t *testing.T, settings project.Settings) *fixture {
	t.Helper()
	return setupOn(t, settings, ragtest.IndexURL(t))
}

func setupOn(t *testing.T, settings project.Settings, databaseURL string) *fixture {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	database := db.NewDatabase(testenv.Source(databaseURL), logger)
	t.Cleanup(database.Close)
	fake := fakeollama.Start(t)
	models, err := ollama.New(model.Config{
		Host: fake.URL(), Logger: logger, RetryDelay: time.Millisecond,
		FirstPiece: time.Duration(settings.GenerationWaitSeconds) * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.Close)
	home := t.TempDir() // removed when the workspace is closed, which writes there
	x := index.New(database, models, logger)
	searcher := rag.NewSearcher(database, models)
	w := workspace.New(x, searcher, answer.New(database, searcher, models, logger), settings, "", logger)
	t.Cleanup(w.Close)
	restart := func() *mcp.Server {
		return tools.NewServer(tools.NewHandler(w, home, apierror.InMCP, logger), "", "test")
	}
	return &fixture{
		home: home, restart: restart,
		server: restart(), handler: tools.NewHandler(w, home, apierror.InMCP, logger), index: x, fake: fake, databaseURL: databaseURL,
	}
}

// client is a connection to a server.
type client struct{ *mcp.ClientSession }

// connect returns a client that uses the version of the protocol.
func connect(t *testing.T, server *mcp.Server, version string) client {
	t.Helper()
	return connectWith(t, server, version, nil)
}

func connectWith(t *testing.T, server *mcp.Server, version string, options *mcp.ClientOptions) client {
	t.Helper()
	return connectAs(t, server, version, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options))
}

func connectAs(t *testing.T, server *mcp.Server, version string, with *mcp.Client) client {
	t.Helper()
	serverSide, clientSide := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), serverSide, nil); err != nil {
		t.Fatal(err)
	}
	c, err := with.Connect(t.Context(), clientSide, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if diff := cmp.Diff(version, c.InitializeResult().ProtocolVersion); diff != "" {
		t.Fatalf("the server speaks another version (-want +got):\n%s", diff)
	}
	return client{c}
}

// reply is the answer of a tool call. Structured is nil if the call failed, or if the
// tool answers with plain text.
type reply struct {
	Text       string
	Structured json.RawMessage
	IsError    bool
}

// ask calls a tool. Text and structured content of the answer must be the same, because
// clients read one or the other, and fit what the tool declares.
func (c client) ask(t *testing.T, tool string, arguments any) reply {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || len(result.Content) != 1 {
		t.Fatalf("%s answers %v, want one text", tool, result.Content)
	}
	a := reply{Text: text.Text, IsError: result.IsError}
	if result.StructuredContent == nil {
		return a
	}
	if a.Structured, err = json.Marshal(result.StructuredContent); err != nil {
		t.Fatal(err)
	}
	var asText any
	if err := json.Unmarshal([]byte(text.Text), &asText); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, text.Text)
	}
	if diff := cmp.Diff(asText, result.StructuredContent); diff != "" {
		t.Errorf("%s: text and structured content differ (-text +structured):\n%s", tool, diff)
	}
	if err := answerSchemas()[tool].Validate(result.StructuredContent); err != nil {
		t.Errorf("%s: the answer does not fit the schema that the tool declares: %v", tool, err)
	}
	return a
}

// answerSchemas returns what each tool declares that its answers are.
var answerSchemas = sync.OnceValue(func() map[string]*jsonschema.Resolved { //nolint:gochecknoglobals // constant
	schemas := map[string]*jsonschema.Resolved{}
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			declared, ok := tool.OutputSchema.(*jsonschema.Schema)
			if !ok {
				continue
			}
			resolved, err := declared.Resolve(nil)
			if err != nil {
				panic(err)
			}
			schemas[tool.Name] = resolved
		}
	}
	return schemas
})

// get calls a tool that must succeed, and decodes its answer.
func (c client) get(t *testing.T, tool string, arguments, out any) {
	t.Helper()
	a := c.ask(t, tool, arguments)
	if a.IsError {
		t.Fatalf("%s: %s", tool, a.Text)
	}
	if err := json.Unmarshal(a.Structured, out); err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
}

// toolError is the error of the specification.
type toolError struct {
	Error   bool           `json:"error"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// fail calls a tool that must fail, and returns its error.
func (c client) fail(t *testing.T, tool string, arguments any) toolError {
	t.Helper()
	a := c.ask(t, tool, arguments)
	if !a.IsError {
		t.Fatalf("%s succeeds: %s", tool, a.Text)
	}
	decoder := json.NewDecoder(strings.NewReader(a.Text))
	decoder.DisallowUnknownFields()
	var e toolError
	if err := decoder.Decode(&e); err != nil || !e.Error || e.Details == nil {
		t.Fatalf("%s: error %v in %s", tool, err, a.Text)
	}
	return e
}

// arguments are those of a tool call.
type arguments = map[string]any

// question has good answers in testdata/project.
const question = "How do we handle database connection pool exhaustion?"

// activate activates the project at root and waits until its index is complete.
func (c client) activate(t *testing.T, root string) {
	t.Helper()
	var out struct {
		Index any `json:"index"`
	}
	c.get(t, "activate_project", activation(root), &out)
	for begun := time.Now(); out.Index != nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("the index is behind: %v", out.Index)
		}
		out.Index = nil
		c.get(t, "list_doc_types", arguments{}, &out)
	}
}

func activation(root string) map[string]any {
	return map[string]any{
		"config_path": filepath.Join(root, project.ConfigDir, "config.json"), "branch_name": toolexample.Branch,
	}
}

// copyProject returns a copy of a folder that a test may change.
func copyProject(t *testing.T, dir string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(root, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return root
}

// newProject makes a project of files, with the config given as JSON.
func newProject(t *testing.T, config string, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	write(t, root, project.ConfigDir+"/config.json", config)
	for name, content := range files {
		write(t, root, name, content)
	}
	return root
}

func write(t *testing.T, root, name, content string) {
	t.Helper()
	gitrepo.At(t, root).Put(name, content)
}
