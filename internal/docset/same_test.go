package docset_test

import (
	"fmt"
	"testing"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/workbound"
)

// A vault may have an index.md in each folder, and a folder many decisions of one number.
//
//nolint:paralleltest // it measures the memory of the process
func TestRead_ManyDocumentsOfOneName(t *testing.T) {
	const files = 2_000
	for form, text := range map[string]string{
		"docs/%d/index.md": "# Index\n\nSee [[index]], [[missing/index]] and [[home]].\n",
		"docs/0001-%d.md":  "# Decision\n\nSupersedes ADR-0001.\n",
	} {
		repo := gitrepo.New(t)
		repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "vault", "documents": {"folder": "docs", "lenient": true}}`)
		for i := range files {
			repo.Put(fmt.Sprintf(form, i), text)
		}
		p, err := project.Load(repo.Root)
		repo.Must(err)
		workbound.Check(t, files*len(text), 1_000, func() {
			set, err := docset.Read(t.Context(), p)
			repo.Must(err)
			if len(set.Documents) != files {
				t.Errorf("%s: %d documents", form, len(set.Documents))
			}
		})
	}
}
