package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// installation is what the doctor looks at: all is well until a test breaks it.
type installation struct {
	home, root, program string
	fake                *fakeollama.Server
	environment         []string
	// unprivileged has the doctor run as another user than root.
	unprivileged bool
	// serves is set while a server indexes, which publishes its state twice a second.
	serves bool
	// namespace is a shell script that runs before it, as the root of its own user and
	// mount namespaces.
	namespace string
}

const nobody = 65534

func newInstallation(t *testing.T) *installation {
	t.Helper()
	folder, err := os.MkdirTemp("", "cdocs-doctor-") //nolint:usetesting // another user must be able to enter it
	if err == nil {
		err = os.Chmod(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	i := &installation{
		home: filepath.Join(folder, "home"), root: filepath.Join(folder, "repository"), program: filepath.Join(folder, "compound-docs"),
		fake: fakeollama.Start(t),
	}
	program, err := os.ReadFile(mcpclient.Build(t))
	if err == nil {
		err = os.WriteFile(i.program, program, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "docker", "#!/bin/sh\nexit 1\n")
	write(t, i.home, "settings.json", "{}")
	write(t, i.root, configPath, `{"project_name": "test-project"}`)
	write(t, i.root, ".git/HEAD", "ref: refs/heads/main\n")
	write(t, i.root, promotable+"a.md", strings.ReplaceAll(problem, "%", "A"))
	err = filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	i.environment = []string{
		"PATH=" + folder + ":" + os.Getenv("PATH"), "HOME=" + folder, "CDOCS_HOME=" + i.home, "CDOCS_OLLAMA_HOST=" + i.fake.URL(),
		"CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t),
	}
	return i
}

type diagnosis struct {
	Severity string    `json:"severity"`
	Findings []finding `json:"findings"`
}

type finding struct {
	Check    string `json:"check"`
	Severity string `json:"severity"`
	What     string `json:"what"`
	Fix      string `json:"fix"`
}

func (f finding) isBad() bool { return f.Severity == "error" || f.Severity == "warning" }

// names reports whether there is a bad finding of a check with these texts.
func (d diagnosis) names(check, what, fix string) bool {
	return slices.ContainsFunc(d.Findings, func(f finding) bool {
		return f.isBad() && f.Check == check && strings.Contains(f.What, what) && strings.Contains(f.Fix, fix)
	})
}

// diagnose runs compound-docs doctor --json.
func (i *installation) diagnose(t *testing.T) (d diagnosis, code int) {
	t.Helper()
	arguments := []string{i.program, "doctor", "--json"}
	if i.namespace != "" {
		if err := exec.CommandContext(t.Context(), "unshare", "--map-root-user", "--mount", "true").Run(); err != nil {
			t.Skip("no namespaces may be made here:", err)
		}
		arguments = append([]string{"unshare", "--map-root-user", "--mount", "sh", "-ec", i.namespace + "\nexec \"$@\"", "sh"}, arguments...)
	}
	command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
	command.Dir, command.Env = i.root, i.environment
	if i.unprivileged && os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
		t.Fatalf("doctor prints %s%s: %v", stdout.String(), stderr.String(), err)
	}
	return d, command.ProcessState.ExitCode()
}

func (i *installation) unset(name string) {
	for at, entry := range i.environment {
		if strings.HasPrefix(entry, name+"=") {
			i.environment[at] = "CDOCS_UNUSED="
		}
	}
}

func (i *installation) set(name, value string) { i.environment = append(i.environment, name+"="+value) }

// withPassword returns the URL of a server that asks for a password, with a wrong one.
func withPassword(t *testing.T) string {
	t.Helper()
	cluster := testenv.StartCluster(t)
	conn, err := pgx.Connect(t.Context(), cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { must(t, conn.Close(t.Context())) }()
	var file string
	if err := conn.QueryRow(t.Context(), "SHOW hba_file").Scan(&file); err != nil {
		t.Fatal(err)
	}
	rules := "local all postgres trust\nlocal all app scram-sha-256\n"
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "CREATE ROLE app LOGIN PASSWORD 'right'; SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("app", "wr0ng")
	until(t, "the server asks for the password", patience, func() bool {
		conn, err := pgx.Connect(t.Context(), u.String())
		if err == nil {
			err = conn.Close(t.Context())
		}
		return err != nil
	})
	return u.String()
}

// serve has a server index the repository, as long as the test runs.
func (i *installation) serve(t *testing.T) {
	t.Helper()
	var answer toolError
	if call(t, openWindow(t, i.environment...).session, "activate_project", activation(i.root), &answer) {
		t.Fatalf("%+v", answer)
	}
	i.serves = true
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Each set-up is broken in one way, for real: the doctor names it, and the command that mends it.
func TestDoctor_NamesWhatIsBroken(t *testing.T) {
	t.Parallel()
	const (
		programs = "mount -t tmpfs none /usr/lib/postgresql"
		files    = "mount -t tmpfs none /usr/share/postgresql"
		old      = files + "\nfor bin in /usr/lib/postgresql/*; do e=/usr/share/postgresql/${bin##*/}/extension; mkdir -p $e; " +
			"echo \"default_version = '0.5.1'\" >$e/vector.control; done"
	)
	tests := []struct {
		name             string
		breaks           func(t *testing.T, i *installation)
		check, what, fix string
		code             int
	}{
		{"no PostgreSQL", func(_ *testing.T, i *installation) {
			i.unset("CDOCS_DATABASE_URL")
			i.namespace = programs
		}, "database", "has no PostgreSQL 15 or newer", "install", 1},
		{"no pgvector", func(_ *testing.T, i *installation) {
			i.unset("CDOCS_DATABASE_URL")
			i.namespace = files
		}, "database", "lacks it", "install", 1},
		{"old pgvector", func(_ *testing.T, i *installation) {
			i.unset("CDOCS_DATABASE_URL")
			i.namespace = old
		}, "database", "has pgvector 0.5.1", "install", 1},
		{"no server at the URL", func(_ *testing.T, i *installation) {
			i.set("CDOCS_DATABASE_URL", "postgres://u:s3cret@127.0.0.1:1/d")
		}, "database", "no PostgreSQL server answers at 127.0.0.1:1", "CDOCS_DATABASE_URL", 1},
		{
			"wrong password", func(t *testing.T, i *installation) {
				t.Helper()
				i.set("CDOCS_DATABASE_URL", withPassword(t))
			},
			"database", "password authentication failed", "export CDOCS_DATABASE_URL=", 1,
		},
		{
			"full disk", func(_ *testing.T, i *installation) { i.namespace = "mount -t tmpfs -o size=64k none " + i.home },
			"disk space", "the disk is full", "compound-docs cleanup", 1,
		},
		{
			"no Ollama", func(_ *testing.T, i *installation) { i.set("CDOCS_OLLAMA_HOST", "http://127.0.0.1:1") },
			"ollama", "127.0.0.1:1", "compound-docs up", 1,
		},
		{
			"no model", func(_ *testing.T, i *installation) { i.fake.RemoveModel("mxbai-embed-large") },
			"ollama", "lacks the embedding model", "ollama pull mxbai-embed-large", 1,
		},
		{
			"no model that writes", func(_ *testing.T, i *installation) { i.fake.RemoveModel("mistral") },
			"ollama", "lacks the model mistral", "ollama pull mistral", 2,
		},
		{
			"wrong dimensions", func(_ *testing.T, i *installation) { i.fake.SetFaults(fakeollama.Faults{Dimensions: 768}) },
			"models", "768 dimensions", "ollama pull mxbai-embed-large", 1,
		},
		{
			"no config", func(t *testing.T, i *installation) {
				t.Helper()
				must(t, os.Remove(filepath.Join(i.root, configPath)))
			},
			"config", "has no configuration", "compound-docs init ", 1,
		},
		{"invalid schema", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, configPath, `{"project_name": "p", "custom_doc_types":
				[{"name": "x", "description": "x", "folder": "x", "schema_file": "schemas/x.json"}]}`)
			write(t, i.root, "csharp-compounding-docs/schemas/x.json", `{"type": "nothing"}`)
		}, "config", "x.json", "${EDITOR:-vi} ", 1},
		{"unreadable file", func(t *testing.T, i *installation) {
			t.Helper()
			i.unprivileged = true
			must(t, os.Chmod(filepath.Join(i.root, promotable+"a.md"), 0))
			if os.Geteuid() == 0 {
				must(t, os.Chown(filepath.Join(i.root, promotable+"a.md"), nobody, nobody))
			}
		}, "files", "a.md: permission denied", "chmod u+rw ", 1},
		{"exhausted watches", func(_ *testing.T, i *installation) {
			i.namespace = "echo 1 >/proc/sys/user/max_inotify_watches"
		}, "watches", "1 of 2 folders", "sysctl fs.inotify.max_user_watches", 1},
		{"stale lock", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, ".git/index.lock", "")
			hourAgo := time.Now().Add(-time.Hour)
			must(t, os.Chtimes(filepath.Join(i.root, ".git/index.lock"), hourAgo, hourAgo))
		}, "git", "has left its lock", "rm ", 2},
		{"root-owned folder", func(_ *testing.T, i *installation) {
			i.unprivileged = true
			if os.Geteuid() != 0 {
				i.set("CDOCS_HOME", "/usr/lib")
			}
		}, "home folder", "belongs to root", "sudo chown -R ", 1},
		{"damaged settings", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.home, "settings.json", `{"log_level": 3}`)
		}, "settings", "log_level", "${EDITOR:-vi} ", 1},
		{"no registration", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, filepath.Dir(i.home), ".claude.json", "{}")
		}, "Claude Code", "does not start the server", "claude mcp add --env ", 2},
		{"registered program gone", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, ".mcp.json", `{"mcpServers": {"compound-docs": {"command": "/nowhere/compound-docs"}}}`)
		}, "Claude Code", "no such program", "claude mcp add --env ", 1},
		{"another database than the client's", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, ".mcp.json", `{"mcpServers": {"compound-docs":
				{"command": "sh", "env": {"CDOCS_DATABASE_URL": "postgres://u:s3cret@elsewhere/d"}}}}`)
		}, "Claude Code", "another CDOCS_DATABASE_URL", "CDOCS_DATABASE_URL", 2},
		{"failed file", func(t *testing.T, i *installation) {
			t.Helper()
			write(t, i.root, promotable+"bad.md", "---\ntitle: [\n---\n")
			i.serve(t)
		}, "index", "bad.md is not indexed", "index_document", 2},
		{"passages without vectors", func(t *testing.T, i *installation) {
			t.Helper()
			i.fake.SetFaults(fakeollama.Faults{Reject: []string{"A"}})
			i.serve(t)
		}, "index", "passages have no vector", "compound-docs reindex", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t)
			test.breaks(t, i)
			found, code := i.diagnose(t)
			for began := time.Now(); i.serves && !found.names(test.check, test.what, test.fix) && time.Since(began) < patience; {
				time.Sleep(100 * time.Millisecond)
				found, code = i.diagnose(t)
			}
			for _, f := range found.Findings {
				if strings.Contains(f.What+f.Fix, "s3cret") || strings.Contains(f.What+f.Fix, "wr0ng") {
					t.Errorf("a finding has the password: %+v", f)
				}
				if f.isBad() && f.Fix == "" {
					t.Errorf("a finding without a remedy: %+v", f)
				}
			}
			if !found.names(test.check, test.what, test.fix) || code != test.code {
				t.Errorf("exit code %d, want %d with %s: %q and %q in %+v", code, test.code, test.check, test.what, test.fix, found.Findings)
			}
		})
	}
}

func TestDoctor_AllIsWell(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	found, code := i.diagnose(t)
	if code != 0 || found.Severity != "ok" {
		t.Errorf("exit code %d, and %+v", code, found)
	}
	if text := mustRun(t, i.root, i.environment, "doctor").stdout; !strings.HasSuffix(text, "all is well\n") {
		t.Errorf("doctor prints %s", text)
	}
}
