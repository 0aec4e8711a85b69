package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// site is a repository with one document, and its user's folder. Nothing listens at its services.
type site struct {
	*testing.T
	folder, root, home string // home and root are in folder
	environment        []string
}

const siteDocument = "csharp-compounding-docs/problems/pool.md"

func newSite(t *testing.T) *site {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	s := &site{T: t, folder: folder, root: filepath.Join(folder, "repository"), home: filepath.Join(folder, "home")}
	s.environment = append(away(), "CDOCS_HOME="+s.home, "HOME="+folder, "CLAUDE_CONFIG_DIR="+folder,
		"PATH="+filepath.Dir(testenv.Program(t))+":/usr/bin:/bin")
	s.put("repository/.git/HEAD", "ref: refs/heads/main\n")
	s.config(`{"project_name": "test-project"}`)
	s.put("repository/"+siteDocument, strings.ReplaceAll(problem, "%", "Connection pool exhausted"))
	return s
}

func (s *site) put(name, content string) { write(s.T, s.folder, name, content) }

func (s *site) config(content string) { s.put("repository/"+configPath, content) }

// A tool names the fault of the config too, and not that a project must be activated. Once it is mended,
// the same call goes on.
func TestServe_NamesTheFaultOfTheConfig(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.config(`{"projct_name": "a"}`)
	session := connect(t, server(t, append(s.environment, "CLAUDE_PROJECT_DIR="+s.root)...))
	arguments := map[string]any{"query": "pool"}
	var failed toolError
	if !call(t, session, "semantic_search", arguments, &failed) || failed.Code != "PROJECT_NOT_ACTIVATED" ||
		!strings.HasPrefix(failed.Message, filepath.Join(s.root, configPath)+`: "projct_name" is not a known field`) || failed.Details["key"] != "projct_name" {
		t.Errorf("a misspelt field: %+v", failed)
	}
	s.config(`{"project_name": "a"}`)
	if !call(t, session, "semantic_search", arguments, &failed) || failed.Code != "DATABASE_ERROR" {
		t.Errorf("with the field corrected: %+v, want that only the database is missing", failed)
	}
	must(t, session.Close())
}

// A client without roots hears in each answer that a project above the repository answers.
func TestServe_NamesTheProjectAboveTheRepository(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.put("repository/below/.git/HEAD", "ref: refs/heads/main\n")
	command := server(t, append(s.environment, "CDOCS_DATABASE_URL="+testenv.IndexURL(t))...)
	command.Dir = filepath.Join(s.root, "below")
	p := beginProcess(t, command)
	p.begin(t, "list_doc_types", nil)
	if answer := p.answer(t); !strings.Contains(answer, "The answer is from the project test-project in "+s.root+", a folder above the repository "+command.Dir) {
		t.Errorf("the answer does not name the project: %s", answer)
	}
	p.begin(t, "ping", nil)
	if answer := p.answer(t); strings.Contains(answer, "above the repository") {
		t.Errorf("ping names a project: %s", answer)
	}
	p.mustEnd(t, endings()["EOF"])
}
