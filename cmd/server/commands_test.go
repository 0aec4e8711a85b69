package main_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/tools/txtar"

	"github.com/compound-docs/compound-docs/test/golden"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// transcript runs the calls of the files in testdata/commands, one after the other, in a
// copy of the demo project.
type transcript struct {
	root, home  string
	environment []string
}

// demoProject returns a copy of the demo project that is in no repository.
func demoProject(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	must(t, os.CopyFS(root, os.DirFS("../../examples/demo-project")))
	return root
}

// newTranscript returns a copy of the demo project on services, in an environment that
// finds no program.
func newTranscript(t *testing.T) transcript {
	t.Helper()
	r := transcript{root: demoProject(t), home: t.TempDir()}
	var err error
	if r.root, err = filepath.EvalSymlinks(r.root); err != nil {
		t.Fatal(err)
	}
	database := testenv.DatabaseURL(t)
	setPgvector(t, database, "0.8.7")
	r.environment = []string{
		"CDOCS_HOME=" + r.home, "PATH=/nowhere", "HOME=" + r.home, "CLAUDE_CONFIG_DIR=" + r.home,
		"CDOCS_DATABASE_URL=" + database, "CDOCS_OLLAMA_HOST=" + testenv.OllamaHost(t),
	}
	return r
}

// setPgvector makes a database report another version of pgvector. doctor warns of Debian's, and of
// no other version of the tests.
func setPgvector(t *testing.T, databaseURL, version string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	must(t, err)
	_, err = conn.Exec(t.Context(), "CREATE EXTENSION IF NOT EXISTS vector; "+
		"UPDATE pg_extension SET extversion = '"+version+"' WHERE extname = 'vector'")
	must(t, errors.Join(err, conn.Close(t.Context())))
}

// Each transcript is a txtar archive of the files that it needs in the project. In its comment
// each line that begins with "$ compound-docs" is called; below it stands what it prints on
// stdout, then on stderr behind "! ", then its exit code if that is not 0.
func TestCommands_Transcripts(t *testing.T) {
	t.Parallel()
	r := newTranscript(t)
	// The first ones index, the others find, and the last but one removes.
	names := []string{
		"sync", "search", "search-explain", "ask", "about", "lint", "page", "doctor", "completion", "serve", "critical",
		"promote", "ingest", "sync-force", "clean", "set-up", "mistakes", "retire",
	}
	files, err := filepath.Glob("testdata/commands/*.txtar")
	if err != nil || len(files) != len(names) {
		t.Errorf("%d transcripts are run, want each of %q (%v)", len(names), files, err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "commands", name+".txtar")
			archive, err := txtar.ParseFile(path)
			must(t, err)
			for _, file := range archive.Files {
				write(t, r.root, file.Name, string(file.Data))
			}
			archive.Comment = []byte(r.play(t, string(archive.Comment)))
			golden.Compare(t, path, string(txtar.Format(archive)))
		})
	}
}

// word is one of a command line, which may be quoted.
var word = regexp.MustCompile(`"[^"]*"|\S+`)

// words returns those of a command line.
func words(line string) (arguments []string) {
	for _, argument := range word.FindAllString(line, -1) {
		arguments = append(arguments, strings.Trim(argument, `"`))
	}
	return arguments
}

// play returns the transcript with what the calls in it print now.
func (r transcript) play(t *testing.T, script string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(script) {
		call, isCall := strings.CutPrefix(line, "$ compound-docs ")
		if !isCall {
			continue
		}
		o := run(t, r.root, r.environment, words(call)...)
		out.WriteString(line + r.normalise(o.stdout))
		for said := range strings.Lines(o.stderr) {
			if !regexp.MustCompile(`^\S+: \d+ of \d+`).MatchString(said) { // progress takes another time each time
				out.WriteString("! " + r.normalise(said))
			}
		}
		if o.code != 0 {
			fmt.Fprintf(&out, "exit code %d\n", o.code)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// normalise replaces what another machine prints differently. Of fractions it keeps one
// digit: a CPU computes the last ones of a vector its own way.
func (r transcript) normalise(text string) string {
	for _, replace := range []struct{ pattern, by string }{
		{regexp.QuoteMeta(r.root), "ROOT"},
		{regexp.QuoteMeta(r.home), "HOME"},
		{`\S+/compound-docs (serve|search)`, "PROGRAM $1"},
		{`path \S+/compound-docs\. (.*)PATH=\S+:`, "path PROGRAM. ${1}PATH=FOLDER:"},
		{`"path_hash": "[0-9a-f]{16}"`, `"path_hash": "HASH"`},
		{`\d+ MiB are free where \S+ is`, "N MiB are free where DIR is"},
		{`Ollama [\d.]+ answers at [^\s"]+`, "Ollama N answers at HOST"},
		{`compound-docs dev, [^\s"]+`, "compound-docs dev, PROGRAM"},
		{`PostgreSQL [\d.]+ with pgvector [\d.]+`, "PostgreSQL N with pgvector N"},
		{`path_hash [0-9a-f]{16}`, "path_hash HASH"},
		{`time=\S+ `, ""},
		{`last on [\d-]+`, "last on DATE"},
		{`"last_asked": ".*"`, `"last_asked": "…"`},
		{`duration=\S+`, "duration=N"},
		{`try again in \d+s`, "try again in Ns"},
		{`(milliseconds p50) .*`, "$1  N"},
		{`(?s)("milliseconds p50",\s*"value": )[^}]*`, "${1}N "},
		{`"milliseconds": [\d.]+`, `"milliseconds": N`},
		{`Search time: \S+`, "Search time: N"},
		{`(\d\.\d)\d+`, "$1"},
	} {
		text = regexp.MustCompile(replace.pattern).ReplaceAllString(text, replace.by)
	}
	return text
}
