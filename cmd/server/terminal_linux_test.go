package main_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// terminal returns a pseudo-terminal at which a person has typed something. written returns its
// output once its writers have closed it.
func terminal(t *testing.T, typed string) (slave *os.File, written func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { _ = master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	must(t, err)
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := master.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	text := make(chan string, 1)
	go func() {
		var all bytes.Buffer
		_, _ = io.Copy(&all, master) // ends with an error when the last writer has closed it
		text <- all.String()
	}()
	return slave, func() string {
		if err := slave.Close(); err != nil {
			t.Error(err)
		}
		return <-text
	}
}

// onTerminal runs a command at a terminal, and returns what that shows.
func onTerminal(t *testing.T, typed, dir string, environment []string, arguments ...string) string {
	t.Helper()
	slave, written := terminal(t, typed)
	command := exec.CommandContext(t.Context(), testenv.Program(t), arguments...)
	command.Dir, command.Stdin, command.Stdout, command.Stderr = dir, slave, slave, slave
	command.Env = append([]string{
		"CDOCS_HOME=" + t.TempDir(), "PATH=/nowhere", "TERM=xterm", testenv.EnvPrograms + "=" + testenv.Programs(t),
	}, environment...)
	if err := command.Run(); err != nil {
		t.Errorf("%v: %v", arguments, err)
	}
	return written()
}

// Colours are for a terminal without NO_COLOR, which shows no information of the log.
func TestCommands_OnATerminalAndInAPipe(t *testing.T) {
	t.Parallel()
	environment, fake := services(t)
	root := newProject(t, map[string]string{
		"csharp-compounding-docs/problems/pool.md": strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
	})
	fake.SetFaults(fakeollama.Faults{EmbedTime: time.Second})
	const escape = "\x1b["
	if shown := onTerminal(t, "", root, environment, "sync"); !strings.Contains(shown, "passages: 2 of 2") || strings.Contains(shown, "level=INFO") {
		t.Errorf("a terminal shows no count, or the log: %q", shown)
	}
	if shown := onTerminal(t, "", root, environment, "search", "pool"); !strings.Contains(shown, escape) {
		t.Errorf("a terminal shows no colours: %q", shown)
	}
	if shown := onTerminal(t, "", root, append(environment, "NO_COLOR=1"), "search", "pool"); strings.Contains(shown, escape) || !strings.Contains(shown, "Connection") {
		t.Errorf("with NO_COLOR a terminal shows %q", shown)
	}
	write(t, root, "csharp-compounding-docs/problems/labels.md", strings.ReplaceAll(problem, "%", "Umlauts on labels"))
	for _, arguments := range [][]string{{"sync"}, {"search", "pool"}} {
		o := mustRun(t, root, environment, arguments...)
		if said := o.stdout + o.stderr; strings.Contains(said, escape) || strings.Contains(said, "\r") {
			t.Errorf("in a pipe %v prints %q", arguments, said)
		}
	}
}

// A person who types the name of the program alone gets the help. A client with a pipe is served.
func TestCommands_NoneAtATerminal(t *testing.T) {
	t.Parallel()
	if shown := onTerminal(t, "", t.TempDir(), away()); !strings.Contains(shown, "Find and ask:") {
		t.Errorf("a terminal shows %q, want the help", shown)
	}
	if o := run(t, t.TempDir(), away()); o.code != 0 || o.stdout != "" || !strings.Contains(o.stderr, "msg=serving") {
		t.Errorf("with an empty stdin it ends with %d, prints %q and says %q", o.code, o.stdout, o.stderr)
	}
}
