package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The writer of a document is told its triggers as they were understood, and what is doubtful about them.
func TestIndexDocument_NamesTriggers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	text := declaring(`{run: [crane lift, crane drop], without: --brake}, {runs: crane}, {run: crane}, {run: make test}, {run: "a && b"}, {edit: "[", bare: true}`,
		insight("Harbour crane", "standard", "Lift with the brake."))
	c.activate(t, newProject(t, `{"project_name": "p"}`, map[string]string{craneFile: text, "Makefile": "test:\n\tgo vet ./...\n\t@make test\n"}))
	var indexed struct {
		Triggers, Warnings []string
	}
	c.get(t, "index_document", arguments{"path": craneFile}, &indexed)
	want := []string{"run crane lift | crane drop, without --brake", "run crane", "run make test", "run a && b"}
	if diff := cmp.Diff(want, indexed.Triggers); diff != "" {
		t.Errorf("triggers (-want +got):\n%s", diff)
	}
	warnings := strings.Join(indexed.Warnings, "\n")
	for _, want := range []string{
		"triggers[1].runs is unknown", "run crane is a program alone", "run make test fires on a command of the project itself, Makefile:3",
		"run a && b has several commands", "triggers[5].bare stands beside edit",
	} {
		if !strings.Contains(warnings, want) {
			t.Errorf("%q is not among the warnings:\n%s", want, warnings)
		}
	}
}

// A rule is heard from the answer of index_document on.
func TestIndexDocument_IsHeardAtOnce(t *testing.T) {
	t.Parallel()
	h := newHooks(t, `{"project_name": "p"}`)
	const file = "csharp-compounding-docs/insights/late.md"
	for i, word := range []string{"first", "second"} {
		write(t, h.root, file, declaring("{run: crane "+word+"}", insight("Late", "standard", "Cranes rest.")))
		h.ask(t, "index_document", arguments{"path": file})
		if got := h.call(t, command("s", "crane "+word)); !strings.Contains(got, "late.md") {
			t.Errorf("rule %d is not heard: %q", i, got)
		}
	}
}
