package main_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// brokenSetup is a set-up with one fault.
type brokenSetup struct {
	name   string
	breaks func(s *site)
	call   string
	// cause is how the error begins, and remedy is what follows. Both are patterns.
	cause, remedy string
	// mend does what the remedy says. said is the first group of the remedy, or all of it. nil types said in
	// a shell.
	mend func(s *site, said string)
}

// inConfig is a fault of config.json. mended is a content as the remedy asks for; "" takes that of the remedy.
func inConfig(name, content, cause, remedy, mended string) brokenSetup {
	return brokenSetup{
		name, func(s *site) { s.config(content) }, "sync", `ROOT/\.csharp-compounding-docs/config\.json` + cause, remedy,
		func(s *site, said string) {
			if mended != "" {
				said = mended
			}
			s.config(said)
		},
	}
}

const (
	example = `for example (\{.*\})\.`
	name    = `{"project_name": "a"`
)

// brokenFiles are faults of config.json and settings.json. The tests of internal/project have the other faults of these files.
func brokenFiles() []brokenSetup {
	return []brokenSetup{
		inConfig("a misspelt field", `{"projct_name": "a"}`, `: "projct_name" is not a known field`, "one of the fields .*project_name", name+"}"),
		{
			"external docs that are missing", func(s *site) { s.config(name + `, "external_docs": {"path": "docs"}}`) }, "sync",
			`ROOT/.*config\.json: "external_docs.path" names "docs", which does not exist`, "Create the folder (ROOT/docs), or",
			func(s *site, said string) { s.shell("mkdir " + said) },
		},
		{
			"a file where the folder of the config is", func(s *site) {
				s.drop("repository/.csharp-compounding-docs")
				s.put("repository/.csharp-compounding-docs", "x")
			}, "sync", `ROOT/\.csharp-compounding-docs/config\.json cannot be read: ROOT/\.csharp-compounding-docs is not a folder`, "Move that file away",
			func(s *site, _ string) {
				s.drop("repository/.csharp-compounding-docs")
				s.config(name + "}")
			},
		},
		{
			"a key that others can read", func(s *site) {
				s.put("key", "k")
				must(s.T, os.Chmod(filepath.Join(s.folder, "key"), 0o644))
				s.settings(`{"embedding_host": {"api": "openai", "url": "http://127.0.0.1:1", "key_file": "` + s.folder + `/key"}}`)
			}, "search pool", `HOME/settings\.json: "embedding_host.key_file" is "FOLDER/key", which others can read`, `\((chmod 600)\)`,
			func(s *site, said string) { s.shell(said + " FOLDER/key") },
		},
	}
}

func brokenPlaces() []brokenSetup {
	return []brokenSetup{
		{
			"no configuration", func(s *site) { s.drop("repository/.csharp-compounding-docs") }, "search pool",
			"no project found: ROOT and the folders above it have no ", "`(compound-docs init ROOT)` prepares this repository", nil,
		},
		{
			"outside a repository", func(s *site) { s.root = s.home; s.put("home/x", "") }, "search pool",
			"no project found: ROOT and the folders above it", "go to a repository, .*; `compound-docs init DIR` prepares one",
			func(s *site, _ string) { s.root = filepath.Join(s.folder, "repository") },
		},
		{"a repository below a project", func(s *site) {
			s.put("repository/below/.git/HEAD", "ref: refs/heads/main\n")
			s.root = filepath.Join(s.folder, "repository", "below")
		}, "lint", "note: answers are from the project test-project in FOLDER/repository", "for this repository: (compound-docs init ROOT)", nil},
		{"a .git that is a file of something else", func(s *site) {
			s.drop("repository/.git")
			s.put("repository/.git", "x\n")
		}, "search pool", `read ROOT/.git: it is a file and does not begin with "gitdir:"`, "if no repository belongs to it: (rm .*)\n", nil},
		{
			"front matter without an end", func(s *site) { s.put("repository/"+siteDocument, "---\ntitle: x\n") }, "lint",
			siteDocument + ":1: error: the front matter that begins here is never closed", "end it with a line (---)",
			func(s *site, said string) { s.put("repository/"+siteDocument, "---\ntitle: x\n"+said+"\n") },
		},
		{
			"a file as the project", func(*site) {}, "search --project csharp-compounding-docs/problems/pool.md pool", "(no project found: )?.*pool.md is (a file|not a folder)", "--project",
			func(s *site, _ string) { s.environment = nil },
		},
	}
}

func brokenServices(t *testing.T) []brokenSetup {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello</html>")) }))
	t.Cleanup(web.Close)
	environment := func(variable string) func(*site, string) {
		return func(s *site, _ string) { s.environment = append(s.environment, variable) }
	}
	return []brokenSetup{
		{
			"no database at the URL", func(*site) {}, "search pool", "activate project: open database: no PostgreSQL server answers at 127.0.0.1:1",
			"start PostgreSQL or correct CDOCS_DATABASE_URL", environment("CDOCS_DATABASE_URL=postgres://u:p@localhost:2/d"),
		},
		{
			"a server that is no PostgreSQL", func(s *site) {
				s.environment = append(s.environment, "CDOCS_DATABASE_URL=postgres://u:p@"+strings.TrimPrefix(web.URL, "http://")+"/d")
			}, "search pool", `(activate project: )?open database: TLS with the server fails, or it is no PostgreSQL`,
			"correct host, port, .* in CDOCS_DATABASE_URL", environment("CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t)),
		},
		{
			"a silent service at the port of the model server", func(s *site) {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				must(s.T, err)
				s.Cleanup(func() { _ = listener.Close() })
				s.environment = append(s.environment, "CDOCS_OLLAMA_HOST=http://"+listener.Addr().String(), "CDOCS_DATABASE_URL="+testenv.DatabaseURL(s.T))
			}, "search --log-level error --mode vector pool", ".*ollama at http://127.0.0.1:.*(no answer|did not answer|gave no)", "without --mode vector",
			func(s *site, _ string) { s.shell("compound-docs search pool"); s.environment = nil },
		},
	}
}

// Each set-up has one fault. The command names the cause first, and then a remedy. Whoever does what the
// remedy says does not get the same error again.
func TestBrokenSetups(t *testing.T) {
	t.Parallel()
	for _, b := range slices.Concat(brokenFiles(), brokenPlaces(), brokenServices(t)) {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			b.check(newSite(t))
		})
	}
}

func (b brokenSetup) check(s *site) {
	s.Helper()
	b.breaks(s)
	cause := regexp.MustCompile(`^(compound-docs: )?` + b.cause)
	said, _ := s.say(b.call)
	remedy := regexp.MustCompile(b.remedy).FindStringSubmatch(said)
	if !cause.MatchString(said) || remedy == nil {
		s.Fatalf("it says %s\nwant the cause first: %s\nand then: %s", said, b.cause, b.remedy)
	}
	if b.mend == nil {
		b.mend = (*site).shell
	}
	b.mend(s, remedy[len(remedy)-1])
	if s.environment == nil {
		return // the call itself is wrong
	}
	if again, _ := s.say(b.call); cause.MatchString(again) {
		s.Errorf("after the remedy %q it says the same: %s", remedy[len(remedy)-1], again)
	}
}

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
