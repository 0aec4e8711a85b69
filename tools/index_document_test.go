package tools_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The writer of a document is told which of its rules hooks have understood.
func TestIndexDocument_NamesWhatIsForbidden(t *testing.T) {
	t.Parallel()
	f := setup(t)
	c := connect(t, f.server, protocolVersions()["handshake"])
	text := insight("Harbour crane", "standard",
		"Never run `crane lift` without `--brake`. Never run `crane drop` or `crane swing`. Run `crane lower` instead, and mind `crane park`.")
	c.activate(t, newProject(t, `{"project_name": "p"}`, map[string]string{craneFile: text}))
	var indexed struct {
		Forbids []string `json:"forbids"`
	}
	c.get(t, "index_document", arguments{"path": craneFile}, &indexed)
	if diff := cmp.Diff([]string{"crane lift", "crane drop", "crane swing"}, indexed.Forbids); diff != "" {
		t.Errorf("index_document names what is forbidden (-want +got):\n%s", diff)
	}
}
