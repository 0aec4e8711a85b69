package main_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// up starts the services, down stops them, and status reports them.
func TestUpDownStatus(t *testing.T) {
	t.Parallel()
	o := newOwnDatabase(t)
	status := func() string {
		t.Helper()
		var said diagnosis
		must(t, json.Unmarshal([]byte(mustRun(t, o.root, o.environment, "status", "--json").stdout), &said))
		database := ""
		for _, f := range said.Findings {
			if f.isBad() && !strings.Contains(f.What, "may damage the index") {
				t.Errorf("status says %+v", f)
			}
			if f.Check == "database" && f.Severity == "ok" {
				database = f.What
			}
		}
		return database
	}
	const stopped, answers = "It does not run; it is started when it is needed", " answers, in "
	if before := status(); !strings.Contains(before, stopped) {
		t.Errorf("before up: %s", before)
	}
	if text := mustRun(t, o.root, o.environment, "up").stdout; !strings.Contains(text, answers) || !strings.Contains(text, "ok       models ") {
		t.Errorf("up prints %s", text)
	}
	o.save(t, "plum")
	o.openTogether(t)
	o.mustWork(t, "up")
	running := status()
	if !strings.Contains(running, answers+o.home) {
		t.Errorf("after up: %s", running)
	}

	if text := mustRun(t, o.root, o.environment, "down").stdout; !strings.Contains(text, "database: stopped") {
		t.Errorf("down prints %s", text)
	}
	if len(o.processes(t)) > 0 || !strings.Contains(status(), stopped) {
		t.Error("the database runs after down")
	}
	if answer := o.windows[0].search(t); !strings.Contains(answer.Message, "run: compound-docs up") {
		t.Errorf("a server after down answers %+v, want how to start the database", answer)
	}
	if text := mustRun(t, o.root, o.environment, "down").stdout; !strings.Contains(text, "database: was not running") {
		t.Errorf("a second down prints %s", text)
	}
	mustRun(t, o.root, o.environment, "up")
	o.mustWork(t, "another up")
	if diff := cmp.Diff(running, status()); diff != "" {
		t.Errorf("status after another up (-before +after):\n%s", diff)
	}
}

// No form of a database URL shows a secret, whether the database answers or not.
func TestStatus_ShowsNoSecret(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	answering, err := url.Parse(testenv.DatabaseURL(t))
	must(t, err)
	answering.User = url.UserPassword(answering.User.Username(), "s3cret")
	for _, address := range []string{
		answering.String(),
		"postgres://u:s3cret@127.0.0.1:1/d", "postgres://u%3As3cret@127.0.0.1:1", "postgres:u:s3cret@127.0.0.1:1",
		"postgres://127.0.0.1:1/d?s3cret", "postgres://127.0.0.1:1/d?password=s3cret&sslpassword=s3cret#s3cret",
		"host=127.0.0.1 port=1 password=s3cret", "postgres:///s3cret?host=/nowhere", "u:s3cret@127.0.0.1:1", "postgres://u:s3 cret@127.0.0.1:1/d",
	} {
		for _, call := range [][]string{{"status"}, {"status", "--json"}, {"doctor", "--json"}} {
			o := run(t, home, []string{"CDOCS_HOME=" + home, "CDOCS_DATABASE_URL=" + address, "CDOCS_OLLAMA_HOST=http://127.0.0.1:1"}, call...)
			if said := o.stdout + o.stderr; strings.Contains(said, "s3") || !strings.Contains(said, "database") {
				t.Errorf("with %s, %q prints %s", address, call, said)
			}
		}
	}
}
