package main_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// unseenSetups are kinds of faults that no message was written for when they were tried first.
func unseenSetups(t *testing.T) []brokenSetup {
	t.Helper()
	set := func(variable string) func(*site) {
		return func(s *site) { s.environment = append(s.environment, variable) }
	}
	by := func(variable string) func(*site, string) {
		return func(s *site, _ string) { s.environment = append(s.environment, variable) }
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello</html>")) }))
	t.Cleanup(web.Close)
	database, err := url.Parse(testenv.DatabaseURL(t))
	must(t, err)
	database.Path = "/nosuchdatabase"
	config := "repository/" + configPath
	schema := name + `, "custom_doc_types": [{"name": "adr", "description": "d", "folder": "adr", "schema_file": "schemas/adr.yaml"}]}`
	const schemaFile = "repository/csharp-compounding-docs/schemas/adr.yaml"
	return []brokenSetup{
		{"a file where the folder of the config is", func(s *site) {
			s.drop("repository/.csharp-compounding-docs")
			s.put("repository/.csharp-compounding-docs", "x")
		}, "sync", `ROOT/\.csharp-compounding-docs/config\.json cannot be read: ROOT/\.csharp-compounding-docs is not a folder`, "Move that file away", func(s *site, _ string) {
			s.drop("repository/.csharp-compounding-docs")
			s.config(name + "}")
		}},
		{"a link that leads nowhere", func(s *site) {
			s.drop(config)
			must(s.T, os.Symlink("nowhere.json", filepath.Join(s.folder, config)))
		}, "sync", `ROOT/\.csharp-compounding-docs/config\.json is a link to a file that does not exist`, "Correct the link, or remove it", func(s *site, _ string) {
			s.drop(config)
			s.config(name + "}")
		}},
		{"a link that leads out", func(s *site) {
			s.drop(config)
			s.put("elsewhere.json", name+"}")
			must(s.T, os.Symlink(s.folder+"/elsewhere.json", filepath.Join(s.folder, config)))
		}, "sync", `ROOT/\.csharp-compounding-docs/config\.json leads out of the repository`, "Keep it in the repository", func(s *site, _ string) {
			s.drop(config)
			s.config(name + "}")
		}},
		inConfig("a key that is given twice", `{"project_name": "a", "project_name": "b"}`, `: "project_name" is given twice`, "Remove one of the two", name+"}"),
		{
			"a schema that is missing", func(s *site) { s.config(schema) }, "sync", `ROOT/.*"custom_doc_types\[0\].schema_file" names "schemas/adr.yaml", which does not exist`,
			"Create ROOT/csharp-compounding-docs/schemas/adr.yaml", func(s *site, _ string) { s.put(schemaFile, "type: object\n") },
		},
		{
			"a schema that is no YAML", func(s *site) { s.config(schema); s.put(schemaFile, "type: object: x\n") }, "sync",
			`ROOT/csharp-compounding-docs/schemas/adr\.yaml: line 1, column \d+: the file is not valid YAML`, "for example (type: object)",
			func(s *site, said string) { s.put(schemaFile, said) },
		},
		{"a home that is a file", func(s *site) { s.put("home", "x") }, "search pool", `HOME/settings\.json cannot be read: HOME is not a folder`, "CDOCS_HOME", func(s *site, _ string) { s.drop("home") }},
		{
			"settings that are a folder", func(s *site) { s.put("home/settings.json/x", "") }, "search pool", `HOME/settings\.json is not a regular file`, "Put a file there",
			func(s *site, _ string) { s.drop("home/settings.json"); s.settings("{}") },
		},
		{
			"a wrong password", func(s *site) { s.environment = append(s.environment, "CDOCS_DATABASE_URL="+withPassword(s.T)) }, "search pool",
			"(activate project: )?open database: .*password authentication failed", "correct .*CDOCS_DATABASE_URL", by("CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t)),
		},
		{
			"a database that does not exist", set("CDOCS_DATABASE_URL=" + database.String()), "search pool",
			`(activate project: )?open database: .*nosuchdatabase.* does not exist`, "`?(compound-docs up|createdb|CREATE DATABASE)", by("CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t)),
		},
		{
			"a server that is no PostgreSQL", set("CDOCS_DATABASE_URL=postgres://u:p@" + strings.TrimPrefix(web.URL, "http://") + "/d"), "search pool",
			`(activate project: )?open database: TLS with the server fails, or it is no PostgreSQL`, "correct host, port, .* in CDOCS_DATABASE_URL", by("CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t)),
		},
		{"a model server with a path", func(s *site) {
			s.environment = append(s.environment, "CDOCS_OLLAMA_HOST="+web.URL+"/api", "CDOCS_DATABASE_URL="+testenv.DatabaseURL(s.T))
		}, "search --log-level error --mode vector pool", ".*ollama at " + web.URL, "is this an Ollama server\\?", by("CDOCS_OLLAMA_HOST=http://127.0.0.1:1")},
		{"a silent service at the port of the model server", func(s *site) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			must(s.T, err)
			s.Cleanup(func() { _ = listener.Close() })
			s.environment = append(s.environment, "CDOCS_OLLAMA_HOST=http://"+listener.Addr().String(), "CDOCS_DATABASE_URL="+testenv.DatabaseURL(s.T))
		}, "search --log-level error --mode vector pool", ".*ollama at http://127.0.0.1:.*(no answer|did not answer|gave no)", "without --mode vector", func(s *site, _ string) { s.shell("compound-docs search pool"); s.environment = nil }},
		{"a worktree whose repository is gone", func(s *site) {
			s.drop("repository/.git")
			s.put("repository/.git", "gitdir: /nowhere/.git/worktrees/a\n")
		}, "search pool", "read ROOT/.git: it names a git folder that is not there", `if it is gone: (rm \S+ && git init \S+)`, nil},
		{
			"no home at all", func(s *site) { s.environment = append(s.environment, "HOME=", "CDOCS_HOME=") }, "search pool", ".*(HOME|home folder)", "set CDOCS_HOME to the folder to use",
			func(s *site, _ string) { s.environment = append(s.environment, "CDOCS_HOME="+s.home) },
		},
		{
			"a file as the project", func(*site) {}, "search --project csharp-compounding-docs/problems/pool.md pool", "(no project found: )?.*pool.md is (a file|not a folder)", "--project",
			func(s *site, _ string) { s.environment = nil },
		},
	}
}

func TestBrokenSetups_OfOtherKinds(t *testing.T) {
	t.Parallel()
	for _, b := range unseenSetups(t) {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			b.check(newSite(t))
		})
	}
}
