package tools_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// A call is answered from the repository that the client works in at that moment, unless
// another one was activated on purpose.
func TestRoots_AreFollowed(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main := gitrepo.New(t)
			main.Git("init", "-q", "-b", "main")
			main.Put(project.ConfigDir+"/config.json", named("any", "main"))
			main.Commit()
			linked := gitrepo.At(t, main.Path(".claude/worktrees/linked"))
			main.Git("worktree", "add", "-q", "-b", "linked", linked.Root)
			linked.Put("inside/the/worktree.txt", "")
			linked.Put(project.ConfigDir+"/config.json", named("any", "linked"))
			other := newProject(t, named("other", "other"), nil)
			without := t.TempDir()

			roots := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			c := connectAs(t, setup(t).server, version, roots)
			goTo := func(folder string) {
				for _, before := range []string{main.Root, linked.Path("inside/the"), without} {
					roots.RemoveRoots("file://" + before) //nolint:staticcheck // deprecated, and in use
				}
				roots.AddRoots(&mcp.Root{URI: "file://" + folder}) //nolint:staticcheck // deprecated, and in use
			}
			answersFrom := func(want string) {
				t.Helper()
				var out struct {
					DocTypes []struct {
						Name string `json:"name"`
					} `json:"doc_types"`
				}
				c.get(t, "list_doc_types", arguments{}, &out)
				if got := out.DocTypes[len(out.DocTypes)-1].Name; got != want {
					t.Errorf("the answer comes from %s, want %s", got, want)
				}
			}
			goTo(main.Root)
			answersFrom("main")
			goTo(linked.Path("inside/the"))
			answersFrom("linked")
			goTo(main.Root)
			c.get(t, "activate_project", activation(other), &struct{}{})
			answersFrom("other")
			goTo(linked.Path("inside/the"))
			answersFrom("other")
			c.get(t, "activate_project", map[string]any{
				"config_path": filepath.Join(linked.Root, project.ConfigDir, "config.json"), "branch_name": "linked",
			}, &struct{}{})
			goTo(without)
			if e := c.fail(t, "list_doc_types", arguments{}); e.Code != string(apierror.ProjectNotActivated) {
				t.Errorf("in a folder without a project the answer is %s %s", e.Code, e.Message)
			}
		})
	}
}

// A client that has no folder open is not asked for it with each call.
func TestRoots_ClientsWithoutAreNotAskedAgain(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			without := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			var calls, asked atomic.Int32
			without.AddReceivingMiddleware(counting(&asked, "roots/list"))
			server := setup(t).server
			server.AddReceivingMiddleware(counting(&calls, "tools/call"))
			c := connectAs(t, server, version, without)
			for range 3 {
				c.get(t, "activate_project", activation(newProject(t, named("any", "any"), nil)), &struct{}{})
			}
			// Without a handshake a client is asked in the answer to a call, and calls again.
			if total := calls.Load() + asked.Load(); total != 4 {
				t.Errorf("3 calls took %d requests, want one more", total)
			}
		})
	}
}

func counting(n *atomic.Int32, method string) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, m string, request mcp.Request) (mcp.Result, error) {
			if m == method {
				n.Add(1)
			}
			return next(ctx, m, request)
		}
	}
}

// named returns the config of a project that can be told by its last doc-type.
func named(name, docType string) string {
	return fmt.Sprintf(`{"project_name": %q, "custom_doc_types": [{"name": %q, "description": "Any", "folder": %q}]}`, name, docType, docType)
}
