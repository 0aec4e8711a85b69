package tools_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/tools"
)

// A tool that fails without a project takes the project from the client's roots. A tool waits long only if its calls ask the
// language model.
func TestTool_KindIsWhatItsCallsNeed(t *testing.T) {
	t.Parallel()
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			t.Run(tool.Name, func(t *testing.T) {
				t.Parallel()
				f, root, example := setup(t), copyProject(t, "testdata/project"), readExamples(t, tool.Name).Cases[0]
				roots := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
				roots.AddRoots(&mcp.Root{URI: "file://" + root}) //nolint:staticcheck // deprecated, and in use
				run := transcript{fixture: f, client: connectAs(t, f.server, protocolVersions()["handshake"], roots), root: root}
				example.Before.Activate = false
				run.prepare(t, example.Before)
				if a := run.client.ask(t, tool.Name, example.ArgumentsAt(root)); strings.Contains(a.Text, string(apierror.ProjectNotActivated)) {
					t.Errorf("the call does not follow the roots of the client: %s", a.Text)
				}
				if asked := len(f.fake.Requests("/api/chat")) > 0; tool.AsksModel() != asked {
					t.Errorf("AsksModel() = %t, want %t", tool.AsksModel(), asked)
				}
			})
		}
	}
}
