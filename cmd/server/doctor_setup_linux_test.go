package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// installation has all that a server needs, until a test breaks it.
type installation struct {
	home, root, program string
	fake                *fakeollama.Server
	environment         []string
	// unprivileged has the doctor run as another user than root.
	unprivileged bool
	// namespace is a shell script that runs before it, as root in new user and mount namespaces.
	namespace string
}

const nobody = 65534

func newInstallation(t *testing.T) *installation {
	t.Helper()
	folder, err := os.MkdirTemp("", "cdocs-doctor-") //nolint:usetesting // another user must be able to enter it
	if err == nil {
		err = os.Chmod(folder, 0o755)
	}
	must(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	i := &installation{
		home: filepath.Join(folder, "home"), root: filepath.Join(folder, "repository"), program: filepath.Join(folder, "compound-docs"),
		fake: fakeollama.Start(t),
	}
	program, err := os.ReadFile(testenv.Program(t))
	if err == nil {
		err = os.WriteFile(i.program, program, 0o755)
	}
	must(t, err)
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
	must(t, err)
	database := testenv.DatabaseURL(t)
	setPgvector(t, database, "0.8.7")
	i.environment = []string{
		"PATH=" + folder + ":" + os.Getenv("PATH"), "HOME=" + folder, "CDOCS_HOME=" + i.home, "CDOCS_OLLAMA_HOST=" + i.fake.URL(),
		"CDOCS_DATABASE_URL=" + database,
	}
	return i
}

// writeProgram writes a shell script that can be run.
func writeProgram(t *testing.T, path, script string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
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
	said := i.run(t, "doctor", "--json")
	if err := json.Unmarshal([]byte(said.stdout), &d); err != nil {
		t.Fatalf("doctor prints %s%s: %v", said.stdout, said.stderr, err)
	}
	return d, said.code
}

// run runs compound-docs in the repository.
func (i *installation) run(t *testing.T, arguments ...string) outcome {
	t.Helper()
	return i.start(t, append([]string{i.program}, arguments...))
}

// shell runs a command line in the repository.
func (i *installation) shell(t *testing.T, line string) outcome {
	t.Helper()
	return i.start(t, []string{"sh", "-c", line})
}

func (i *installation) start(t *testing.T, arguments []string) outcome {
	t.Helper()
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
	return outcome{stdout: stdout.String(), stderr: stderr.String(), code: command.ProcessState.ExitCode()}
}

func (i *installation) unset(name string) {
	for at, entry := range i.environment {
		if strings.HasPrefix(entry, name+"=") {
			i.environment[at] = "CDOCS_UNUSED="
		}
	}
}

func (i *installation) set(name, value string) { i.environment = append(i.environment, name+"="+value) }
