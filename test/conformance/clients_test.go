package conformance

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/tools"
)

//go:embed clients.mjs
var clients []byte

type found struct {
	Version  string   `json:"version"`
	Tools    []string `json:"tools"`
	DocTypes []string `json:"doc_types"`
	Failure  string   `json:"failure"`
	Page     string   `json:"page"`
}

// Both official TypeScript clients, one for each kind of handshake, find the same.
func TestClients(t *testing.T) {
	t.Parallel()
	installed(t)
	in := installIndexed(t)
	// A module from stdin can import the packages of the working folder.
	program := slices.Concat([]string{"--input-type=module", "-", "env", "-i"}, in.Command().Env, []string{in.Program, "serve"})
	stdout, code := run(t, clients, "node", program...)
	if code != 0 {
		t.Fatalf("the clients end with %d", code)
	}
	var got map[string]found
	if err := json.Unmarshal(stdout, &got); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	var names []string
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	both := found{
		Tools:    names,
		DocTypes: strings.Fields("problem insight codebase tool style api-contract"),
		Failure:  "INVALID_ARGUMENT",
		Page:     "<!DOCTYPE html>",
	}
	want := map[string]found{"handshake": both, "automatic": both}
	for name, version := range map[string]string{"handshake": "2025-11-25", "automatic": "2026-07-28"} {
		client := want[name]
		client.Version = version
		want[name] = client
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the clients find (-want +got):\n%s", diff)
	}
}
