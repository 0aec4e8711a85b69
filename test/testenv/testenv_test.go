package testenv

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// envChild tells a test in a child process its task.
const envChild = "TESTENV_CHILD"

// child is such a process, with what it has told.
type child struct {
	*exec.Cmd

	said string
}

// startChild runs the calling test in a child process until that calls tellParent.
func startChild(t *testing.T, what string) child {
	t.Helper()
	c := child{Cmd: exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")}
	c.Env = append(os.Environ(), envChild+"="+what)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var said bool
		if c.said, said = strings.CutPrefix(lines.Text(), "to the parent: "); said {
			return c
		}
	}
	t.Fatal("the process has ended without a word")
	return c
}

// tellParent waits for a signal.
func tellParent(t *testing.T, text string) {
	t.Helper()
	if _, err := fmt.Fprintln(os.Stdout, "\nto the parent: "+text); err != nil {
		t.Fatal(err)
	}
	select {}
}

func connect(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
