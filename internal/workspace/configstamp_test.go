package workspace_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

const (
	config       = ".csharp-compounding-docs/config.json"
	contractType = `{"project_name": "test-project", "custom_doc_types": [
		{"name": "contract", "folder": "contracts", "schema_file": "./schemas/contract.yaml"}]}`
	schemaFile     = "csharp-compounding-docs/schemas/contract.yaml"
	contractSchema = "required: [endpoint]\n"
)

// hasType reports whether a project has the doc-type contract.
func hasType(p *workspace.Project) bool {
	_, ok := p.Definition.DocType("contract")
	return ok
}

// awaitInvalid waits until the server has read a config that is not valid.
func awaitInvalid(t *testing.T, s *workspace.Workspace) {
	t.Helper()
	eventually(t, "an invalid config is told of", func() bool {
		active, err := s.Active(t.Context())
		return err == nil && strings.Contains(active.Status().Waiting, "config is not valid")
	})
}

func TestWorkspace_FollowsASchemaMadeAfterItsConfig(t *testing.T) {
	t.Parallel()
	f := setup(t, nil)
	s := f.server(t)
	f.activate(t, s, "main")
	f.Put(config, contractType)
	awaitInvalid(t, s)
	f.Put(schemaFile, contractSchema)
	eventually(t, "the new doc-type is in force", func() bool {
		active, err := s.Active(t.Context())
		return err == nil && hasType(active)
	})
}

func TestWorkspace_ActivatesASchemaMadeAfterItsConfig(t *testing.T) {
	t.Parallel()
	f := setup(t, nil)
	s := f.server(t)
	f.activate(t, s, "main")
	f.Put(config, contractType)
	awaitInvalid(t, s)
	f.Put(schemaFile, contractSchema)
	if active := f.activate(t, s, "main"); !hasType(active) {
		t.Error("the activation keeps the doc-types of the config before")
	}
}

func TestWorkspace_FollowsAnExternalFolderMadeAfterItsConfig(t *testing.T) {
	t.Parallel()
	f := setup(t, nil)
	s := f.server(t)
	f.activate(t, s, "main")
	f.Put(config, `{"project_name": "test-project", "external_docs": {"path": "./manual"}}`)
	awaitInvalid(t, s)
	f.Put("manual/guide.md", "# Guide\n\nAbout figs.\n")
	eventually(t, "the external document is in the index", func() bool {
		paths, err := f.column(t.Context(), `SELECT relative_path FROM documents WHERE collection = 'external'`)
		return err == nil && slices.Equal(paths, []string{"manual/guide.md"})
	})
}

func TestWorkspace_KeepsAConfigEditWhoseActivationFails(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{schemaFile: contractSchema})
	s := f.server(t)
	f.activate(t, s, "main")
	f.Put(config, contractType)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Activate(canceled, f.configPath(), "main"); err == nil {
		t.Fatal("the activation does not fail")
	}
	if active := f.activate(t, s, "main"); !hasType(active) {
		t.Error("the second activation keeps the config before")
	}
}
