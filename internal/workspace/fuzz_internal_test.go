package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/workbound"
)

// hostileProject is a repository with links to files that are not documents. Each of these files
// says so.
func hostileProject(f *testing.F) *Project {
	f.Helper()
	top := gitrepo.New(f)
	for _, name := range []string{"outside/s.md", "repo/.git/s.md", "repo/.hidden/s.md", "repo/src/s.md", "repo/csharp-compounding-docs/.x/s.md"} {
		top.Put(name, "secret")
	}
	top.Put("repo/.csharp-compounding-docs/config.json", `{"project_name": "a", "external_docs": {"path": "docs"}}`)
	top.Put("repo/csharp-compounding-docs/problems/a.md", "own")
	top.Put("repo/csharp-compounding-docs/problems/back\\slash.md", "own")
	top.Put("repo/docs/b.md", "external")
	for name, target := range map[string]string{
		"repo/csharp-compounding-docs/problems/out":  "../../../outside",
		"repo/csharp-compounding-docs/problems/l.md": "../../.git/s.md",
		"repo/csharp-compounding-docs/tools":         "../src",
		"repo/docs/in.md":                            "../.hidden/s.md",
		"repo/docs/far":                              "../../outside",
		"repo/docs/b2.md":                            "b.md",
	} {
		top.Must(os.Symlink(target, top.Path(name)))
	}
	root, err := filepath.EvalSymlinks(top.Path("repo"))
	top.Must(err)
	definition, err := project.Load(root)
	top.Must(err)
	external, _ := definition.External()
	docs := tree{folder: docsFolder(definition)}
	return &Project{Definition: definition, docs: docs, trees: []tree{docs, {folder: ExternalFolder(definition, external)}}}
}

// FuzzPath takes each text for the path of a document, as tools and resources do. None
// leads out of the two folders, whatever links and dots are in it.
func FuzzPath(f *testing.F) {
	p := hostileProject(f)
	for _, seed := range []string{
		"problems/a.md", "./csharp-compounding-docs/problems/a.md", "csharp-compounding-docs/../src/s.md", "../../outside/s.md", `problems\a.md`,
		`problems\back\slash.md`, `..\..\outside\s.md`, "problems/out/s.md", "problems/l.md", "tools/s.md", ".x/s.md", "problems/./../problems//a.md",
		"docs/b.md", "docs/b2.md", "docs/in.md", "docs/far/s.md", "docs/../.git/s.md", "a\x00.md", "%2e%2e/s.md", "problems/a.md/", "/", "", ".md", "~/s.md",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, given string, absolute bool) {
		if !utf8.ValidString(given) {
			return // no message has it
		}
		if absolute {
			given = p.Definition.Root + "/" + given
		}
		workbound.Check(t, len(given), 1000, func() {
			checkName(t, p, given)
			checkRead(t, p, given)
		})
		if p.isExternal(given) && !strings.Contains(given, ".md") {
			t.Errorf("%q counts as an external document", given)
		}
	})
}

// checkName fails unless a path that is taken is one in the docs folder, with nothing
// hidden in it, and leads to a document or to nothing.
func checkName(t *testing.T, p *Project, given string) {
	t.Helper()
	name, err := p.documentName(given, "path")
	if err != nil {
		var refused *apierror.Error
		if !errors.As(err, &refused) || refused.Code != apierror.InvalidArgument && refused.Code != apierror.DocumentNotFound {
			t.Errorf("%q is refused with %v", given, err)
		}
		return
	}
	hidden := slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
	if !fs.ValidPath(name) || hidden || strings.ContainsRune(name, 0) {
		t.Errorf("%q becomes %q", given, name)
	}
	if file, err := p.docs.folder.Read(name); err == nil && string(file.Content) != "own" {
		t.Errorf("%q reads %q", given, file.Content)
	}
}

func checkRead(t *testing.T, p *Project, given string) {
	t.Helper()
	file, err := p.Read(given)
	if err == nil && string(file.Content) != "own" && string(file.Content) != "external" {
		t.Errorf("%q reads %q", given, file.Content)
	}
}
