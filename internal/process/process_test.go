package process_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/process"
	"github.com/compound-docs/compound-docs/test/await"
)

// TestMain makes the binary a process that says its ID and waits.
func TestMain(m *testing.M) {
	if os.Getenv("CDOCS_TEST_SAY_ID") != "" {
		fmt.Println(process.ID())
		_, _ = os.Stdin.Read(make([]byte, 1))
		return
	}
	os.Exit(m.Run())
}

// A process that has ended is gone, whether its parent has asked how or not.
func TestGone_EndedProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the system does not tell two processes of one number apart")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(os.Environ(), "CDOCS_TEST_SAY_ID=1")
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	id, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if process.Gone(id) {
		t.Errorf("%q is gone while it runs", id)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, id+" is gone, since it has ended", func() bool { return process.Gone(id) })
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	if !process.Gone(id) {
		t.Errorf("%q is not gone, and its parent knows", id)
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the system does not tell two processes of one number apart")
	}
	id := process.ID()
	if process.Gone(id) || process.Gone(id+" and a text") {
		t.Errorf("this process, %q, is gone", id)
	}
	fields := strings.Fields(id)
	if want := fmt.Sprintf("process %d on ", os.Getpid()); !strings.HasPrefix(process.Describe(id), want) {
		t.Errorf("%q is described as %q, want %q and the host", id, process.Describe(id), want)
	}
	another := func(pid, machine, started string) string { return pid + "@host " + machine + " " + started }
	pid, _, _ := strings.Cut(fields[0], "@")
	for name, test := range map[string]struct {
		id   string
		gone bool
	}{
		"an earlier process of the number": {another(pid, fields[1], "1"), true},
		"a number that nobody has":         {another("4194304", fields[1], fields[2]), true},
		"the number on another machine":    {another("4194304", "elsewhere", fields[2]), false},
		"a machine that is not known":      {another("4194304", "-", fields[2]), false},
		"a text of something else":         {"psql", false},
		"nothing":                          {"", false},
	} {
		if got := process.Gone(test.id); got != test.gone {
			t.Errorf("%s: gone is %t, want %t", name, got, test.gone)
		}
	}
}
