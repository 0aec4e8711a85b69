package db_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// runGoose is goose's own command line, as make runs it for users.
func runGoose(t *testing.T, databaseURL, command string) string {
	t.Helper()
	program := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", "..", "migrate",
		"COMMAND="+command, "DATABASE_URL="+databaseURL)
	out, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("goose %s: %v\n%s", command, err, out)
	}
	return string(out)
}

func TestGoose_CommandLine(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	_, sqlDB := newProvider(t, databaseURL)
	newest := versions(t)[len(versions(t))-1]
	pending := regexp.MustCompile(`Pending\s+-- `)

	if status := runGoose(t, databaseURL, "status"); len(pending.FindAllString(status, -1)) != len(versions(t)) {
		t.Errorf("status of an empty database:\n%s", status)
	}
	runGoose(t, databaseURL, "up")
	if status := runGoose(t, databaseURL, "status"); pending.MatchString(status) || !strings.Contains(status, ".sql") {
		t.Errorf("status after up:\n%s", status)
	}
	made := tables(t, sqlDB)
	if len(made) == 0 {
		t.Fatal("up makes no tables")
	}
	fillVersion(t, sqlDB, newest)
	for range versions(t) {
		runGoose(t, databaseURL, "down")
	}
	if diff := cmp.Diff(map[string]int{}, tables(t, sqlDB)); diff != "" {
		t.Errorf("down leaves tables (-want +got):\n%s", diff)
	}
	runGoose(t, databaseURL, "up")
	if diff := cmp.Diff(made, tables(t, sqlDB)); diff != "" {
		t.Errorf("up after down (-want +got):\n%s", diff)
	}
	// A server finds nothing left to do, and can search.
	fillVersion(t, sqlDB, newest)
	checkFilled(t, open(t, databaseURL))
}

// The documentation names the version of goose that these tests run.
func TestGoose_VersionInTheDocumentation(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile("../goose.mod")
	must(t, err)
	docs, err := os.ReadFile("../docs/teams.md")
	must(t, err)
	version := regexp.MustCompile(`pressly/goose/v3 (v\S+)`).FindSubmatch(module)
	if version == nil {
		t.Fatal("goose.mod requires no goose")
	}
	if command := "go install github.com/pressly/goose/v3/cmd/goose@" + string(version[1]) + "\n"; !strings.Contains(string(docs), command) {
		t.Errorf("docs/teams.md does not tell users to run %q", command)
	}
}
