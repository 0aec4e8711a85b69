package main_test

import (
	"os"
	"os/exec"
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

func (s *site) settings(content string) { s.put("home/settings.json", content) }

func (s *site) drop(name string) { must(s.T, os.RemoveAll(filepath.Join(s.folder, name))) }

// say runs a command line in the repository, and returns what it prints, first on stderr.
func (s *site) say(line string) (said string, code int) {
	o := run(s.T, s.root, s.environment, words(line)...)
	return strings.NewReplacer(s.root, "ROOT", s.home, "HOME", s.folder, "FOLDER").Replace(o.stderr + o.stdout), o.code
}

// shell types a line of a remedy, in the repository.
func (s *site) shell(line string) {
	s.Helper()
	line = strings.NewReplacer("ROOT", s.root, "HOME", s.home, "FOLDER", s.folder, "${EDITOR:-vi}", "true").Replace(line)
	command := exec.CommandContext(s.Context(), "sh", "-c", line)
	command.Dir, command.Env = s.root, s.environment
	if output, err := command.CombinedOutput(); err != nil && !strings.Contains(line, "compound-docs init") { // init needs a database
		s.Errorf("%s: %v: %s", line, err, output)
	}
}
