package main_test

import (
	"os"
	"path/filepath"
	"regexp"
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

// inSettings is inConfig for settings.json.
func inSettings(name, content, cause, remedy, mended string) brokenSetup {
	b := inConfig(name, content, "", remedy, mended)
	b.breaks, b.call, b.cause = func(s *site) { s.settings(content) }, "search pool", `HOME/settings\.json`+cause
	b.mend = func(s *site, said string) {
		if mended != "" {
			said = mended
		}
		s.settings(said)
	}
	return b
}

const (
	example = `for example (\{.*\})\.`
	name    = `{"project_name": "a"`
)

func brokenConfigs() []brokenSetup {
	utf16 := "\xff\xfe" + strings.Join(append(strings.Split(`{"project_name": "a"}`, ""), ""), "\x00")
	return []brokenSetup{
		inConfig("an empty config", " \n", " is empty", example, ""),
		inConfig("a config that is cut off", name, ": line 1, column 20: the file ends before a bracket or a quote is closed", example, ""),
		inConfig("a comma too many", name+",\n}", ": line 2, column 1: a comma stands before the }", example, ""),
		inConfig("a comment", name+" // the name\n}", ": line 1, column 22: a comment", "there are no comments", name+"}"),
		inConfig("single quotes", "{'project_name': 'a'}", ": line 1, column 2: a text in single quotes", "stands in double quotes", name+"}"),
		inConfig("a missing comma", name+` "recall": "off"}`, ": line 1, column 22: a comma or a colon is missing",
			"entries are separated by commas", name+`, "recall": "off"}`),
		inConfig("a merge conflict in the config", "<<<<<<< a\n"+name+"}\n=======\n{}\n>>>>>>> b\n",
			": line 1: git has left the marks of a merge conflict", "Keep one of the two sides", name+"}"),
		inConfig("a list", "[]", " is empty", example, ""),
		inConfig("no name", "{}", `: "project_name" is missing`, `Write lower-case letters, .* for example "my-project"`, `{"project_name": "my-project"}`),
		inConfig("a name with capitals", `{"project_name": "My Project"}`, `: "project_name" is "My Project"`,
			`Write lower-case letters, .* for example "my-project"`, `{"project_name": "my-project"}`),
		inConfig("a misspelt field", `{"projct_name": "a"}`, `: "projct_name" is not a known field`, "one of the fields .*project_name", name+"}"),
		inConfig("UTF-16", utf16, " is not UTF-8 text", "Save it with the encoding UTF-8", name+"}"),
		inConfig("a score of 70", name+`, "semantic_search": {"min_relevance_score": 70}}`, `: "semantic_search.min_relevance_score" is 70`,
			"a number, minimum 0, maximum 1", name+`, "semantic_search": {"min_relevance_score": 0.7}}`),
		inConfig("a text for yes", name+`, "documents": {"lenient": "yes"}}`, `: "documents.lenient" is "yes"`, "Write true or false",
			name+`, "documents": {"lenient": true}}`),
		inConfig("a folder elsewhere", name+`, "documents": {"folder": "../notes"}}`, `: "documents.folder" is "../notes", which leads out`,
			`for example "folder": "docs/solutions"`, name+`, "documents": {"folder": "docs/solutions"}}`),
		inConfig("a file for the folder", name+`, "documents": {"folder": "`+siteDocument+`"}}`, `: "documents.folder" is ".*", which is not a folder`,
			`for example "folder": "docs/solutions"`, name+`, "documents": {"folder": "docs/solutions"}}`),
		inConfig("external docs elsewhere", name+`, "external_docs": {"path": "../notes"}}`, `: "external_docs.path" is "../notes", which is outside`,
			`Name a folder in the repository`, name+`, "external_docs": {"path": "./csharp-compounding-docs/problems"}}`),
		inConfig("a bad pattern", name+`, "external_docs": {"path": ".git/..", "include_patterns": ["[a"]}}`,
			`: "external_docs.include_patterns\[0\]" is "\[a"`, `a correct one is "\*\*/\*\.md"`, name+"}"),
		inConfig("a doc-type without a folder", name+`, "custom_doc_types": [{"name": "adr", "description": "d"}]}`,
			`: "custom_doc_types\[0\].folder" is missing`, "Write text", name+`, "custom_doc_types": [{"name": "adr", "description": "d", "folder": "adr"}]}`),
		{
			"external docs that are missing", func(s *site) { s.config(name + `, "external_docs": {"path": "docs"}}`) }, "sync",
			`ROOT/.*config\.json: "external_docs.path" names "docs", which does not exist`, "Create the folder (ROOT/docs), or",
			func(s *site, said string) { s.shell("mkdir " + said) },
		},
		{
			"a config that is a folder", func(s *site) {
				s.drop("repository/" + configPath)
				s.put("repository/"+configPath+"/x", "")
			}, "sync", `ROOT/.*config\.json is not a regular file`, "Put a file there in its place",
			func(s *site, _ string) {
				s.drop("repository/" + configPath)
				s.config(name + "}")
			},
		},
	}
}

func brokenSettings() []brokenSetup {
	return []brokenSetup{
		inSettings("empty settings", "", " is empty", example, ""),
		inSettings("settings that are cut off", `{"log_level"`, ": line 1, column 12: the file ends", example, ""),
		inSettings("settings with the field of a config", `{"project_name": "a"}`, `: "project_name" is not a known field`, "one of the fields .*database_url", "{}"),
		inSettings("a log level that does not exist", `{"log_level": "loud"}`, `: "log_level" is "loud"`, "debug, info, warn, error", `{"log_level": "warn"}`),
		inSettings("a relative folder", `{"external_docs_allowed": ["x"]}`, `: "external_docs_allowed\[0\]" is "x"`, "the whole path",
			`{"external_docs_allowed": ["/home/me/team-handbook"]}`),
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
		{
			"a folder that does not exist", func(*site) {}, "search --project /nowhere/at/all pool",
			"no project found: /nowhere/at/all is not a folder", "correct --project", func(s *site, _ string) { s.environment = nil },
		},
		{"a repository below a project", func(s *site) {
			s.put("repository/below/.git/HEAD", "ref: refs/heads/main\n")
			s.root = filepath.Join(s.folder, "repository", "below")
		}, "lint", "note: answers are from the project test-project in FOLDER/repository", "for this repository: (compound-docs init ROOT)", nil},
		{
			"a damaged HEAD", func(s *site) { s.put("repository/.git/HEAD", "x\n") }, "search pool",
			"read ROOT/.git/HEAD: it holds neither a branch nor a commit", "git status says what is wrong",
			func(s *site, _ string) { s.put("repository/.git/HEAD", "ref: refs/heads/main\n") },
		},
		{"a .git that is a file of something else", func(s *site) {
			s.drop("repository/.git")
			s.put("repository/.git", "x\n")
		}, "search pool", `read ROOT/.git: it is a file and does not begin with "gitdir:"`, "if no repository belongs to it: (rm .*)\n", nil},
		{
			"a merge conflict in a document", func(s *site) {
				s.put("repository/"+siteDocument, "---\ntitle: x\n<<<<<<< a\ndate: 2026-01-01\n=======\n>>>>>>> b\n---\n")
			}, "lint", siteDocument + ":3: error: git has left the marks of a merge conflict", "keep one side, and remove the marks",
			func(s *site, _ string) { s.put("repository/"+siteDocument, "---\ntitle: x\ndate: 2026-01-01\n---\n") },
		},
		{
			"front matter without an end", func(s *site) { s.put("repository/"+siteDocument, "---\ntitle: x\n") }, "lint",
			siteDocument + ":1: error: the front matter that begins here is never closed", "end it with a line (---)",
			func(s *site, said string) { s.put("repository/"+siteDocument, "---\ntitle: x\n"+said+"\n") },
		},
	}
}

func brokenCalls() []brokenSetup {
	set := func(variable string) func(*site) {
		return func(s *site) { s.environment = append(s.environment, variable) }
	}
	unset := func(variable, by string) func(*site, string) {
		return func(s *site, _ string) { s.environment = append(s.environment, variable+"="+by) }
	}
	return []brokenSetup{
		{
			"no database at the URL", func(*site) {}, "search pool", "activate project: open database: no PostgreSQL server answers at 127.0.0.1:1",
			"start PostgreSQL or correct CDOCS_DATABASE_URL", unset("CDOCS_DATABASE_URL", "postgres://u:p@localhost:2/d"),
		},
		{
			"a database URL of another kind", set("CDOCS_DATABASE_URL=postgre://127.0.0.1/x"), "search pool", "activate project: open database: the database URL cannot be read",
			"write CDOCS_DATABASE_URL as (postgres://user:password@host:5432/database)", unset("CDOCS_DATABASE_URL", "postgres://u:p@127.0.0.1:1/d"),
		},
		{
			"a model server of another kind", set("CDOCS_OLLAMA_HOST=htp://gpu"), "search pool",
			"configure ollama: the host is not a URL such as http://localhost:11434", "correct CDOCS_OLLAMA_HOST", unset("CDOCS_OLLAMA_HOST", "http://localhost:1"),
		},
		{"a log level of another kind", set("CDOCS_LOG_LEVEL=loud"), "search pool", `log level "loud" is none of`, "debug, info, warn, error", unset("CDOCS_LOG_LEVEL", "warn")},
		{
			"help of a command that does not exist", func(*site) {}, "help nosuch", `unknown command "nosuch"`, "see `(compound-docs help --help)`",
			func(s *site, said string) { s.shell(said); s.environment = nil },
		},
		{
			"a misspelt command", func(*site) {}, "lnit", `unknown command "lnit"`, "Did you mean this\\?\n\t(init)\n",
			func(s *site, said string) { s.shell("compound-docs help " + said); s.environment = nil },
		},
		{
			"a misspelt flag", func(*site) {}, "lint --levle error", "unknown flag: --levle", "see `(compound-docs lint --help)`",
			func(s *site, said string) { s.shell(said); s.environment = nil },
		},
	}
}

// Each set-up has one fault. The command names the cause first, and then a remedy. Whoever does what the
// remedy says does not get the same error again.
func TestBrokenSetups(t *testing.T) {
	t.Parallel()
	all := append(append(append(brokenConfigs(), brokenSettings()...), brokenPlaces()...), brokenCalls()...)
	if len(all) < 40 {
		t.Errorf("there are only %d set-ups", len(all))
	}
	for _, b := range all {
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
