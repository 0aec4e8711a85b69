package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Clients of the stateless protocol reject a result that does not say whether it is
// complete. The SDK's own client accepts it.
func TestResultType(t *testing.T) {
	t.Parallel()
	server := setup(t).server
	want := map[string]any{"handshake": nil, "stateless": "complete"}
	calls := map[string]*mcp.CallToolParams{
		"an answer":       {Name: "ping"},
		"a tool's error":  {Name: "list_doc_types"},
		"wrong arguments": {Name: "ping", Arguments: arguments{"message": 3}},
	}
	for handshake, version := range protocolVersions() {
		c := connect(t, server, version)
		for name, call := range calls {
			result, err := c.CallTool(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			var fields map[string]any
			if err := json.Unmarshal(encoded, &fields); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[handshake], fields["resultType"]); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, handshake, diff)
			}
		}
	}
}
