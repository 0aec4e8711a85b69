package tools_test

import (
	"fmt"
	"path/filepath"
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

// named returns the config of a project that can be told by its last doc-type.
func named(name, docType string) string {
	return fmt.Sprintf(`{"project_name": %q, "custom_doc_types": [{"name": %q, "description": "Any", "folder": %q}]}`, name, docType, docType)
}
