package workspace_test

import (
	"context"
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

// A config is read again until the files that it names are there.
func TestWorkspace_TakesAConfigWhoseFilesComeLater(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config, file, content string
		taken                 func(*workspace.Project) bool
	}{
		"a schema": {contractType, schemaFile, contractSchema, hasType},
		"an external folder": {
			`{"project_name": "test-project", "external_docs": {"path": "./manual"}}`, "manual/guide.md", "# Guide\n\nAbout figs.\n",
			func(p *workspace.Project) bool { return p.Definition.Config.ExternalDocs != nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, nil)
			s := f.server(t)
			f.activate(t, s, "main")
			f.Put(config, test.config)
			awaitInvalid(t, s)
			f.Put(test.file, test.content)
			eventually(t, "the new config is in force", func() bool {
				active, err := s.Active(t.Context())
				return err == nil && test.taken(active)
			})
		})
	}
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
