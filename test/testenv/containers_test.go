package testenv

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// envEnding makes TestContainedEnding, in a process of its own, start a container
// and end in a certain way.
const envEnding = "TESTENV_ENDING"

// TestContainedEnding is what TestContainers_LeaveNothingBehind runs.
func TestContainedEnding(t *testing.T) { //nolint:paralleltest // alone in its process
	ending := os.Getenv(envEnding)
	if ending == "" {
		t.Skip("a part of TestContainers_LeaveNothingBehind")
	}
	service, _ := containedDatabase(Small, true)
	startContainer(t.Context(), t, service)
	if _, err := os.Stdout.WriteString("started\n"); err != nil {
		t.Fatal(err)
	}
	switch ending {
	case "success":
	case "failure":
		t.Fatal("a test that fails")
	case "signal":
		<-t.Context().Done()
	}
}

// engineForTest returns the engine that containers are made in, or skips.
func engineForTest(t *testing.T) *client.Client {
	t.Helper()
	skipUnlessContained(t)
	docker, err := dialEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return docker
}

func TestContainers_LeaveNothingBehind(t *testing.T) {
	t.Parallel()
	docker := engineForTest(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, ending string
		signal       syscall.Signal
		left         int // before the next process looks
	}{
		{name: "success", ending: "success"},
		{name: "failure", ending: "failure"},
		{name: "interrupt", ending: "signal", signal: syscall.SIGINT},
		{name: "termination", ending: "signal", signal: syscall.SIGTERM},
		{name: "kill", ending: "signal", signal: syscall.SIGKILL, left: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { // one by one: the next would remove what is left
			// The label starts with the folder that the process has for its own.
			temporary := t.TempDir()
			owned := func() (count int) {
				all, err := docker.ContainerList(t.Context(), client.ContainerListOptions{All: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, container := range all.Items {
					if strings.HasPrefix(container.Labels[ownerLabel], temporary) {
						count++
					}
				}
				return count
			}
			err := runEnding(t, temporary, test.ending, func(process *os.Process) {
				if test.signal == 0 {
					return
				}
				if made := owned(); made != 1 {
					t.Errorf("the process has made %d containers, want 1", made)
				}
				if err := process.Signal(test.signal); err != nil {
					t.Fatal(err)
				}
			})
			if (err == nil) != (test.ending == "success") {
				t.Errorf("the process ends with %v", err)
			}
			if left := owned(); left != test.left {
				t.Errorf("%d containers are left behind, want %d", left, test.left)
			}
			if err := removeContainers(t.Context(), docker, hostLabel+"="+host, hasEnded); err != nil {
				t.Error("remove what was left behind:", err)
			}
			if left := owned(); left != 0 {
				t.Errorf("%d containers are left after the removal of what processes left that have ended", left)
			}
		})
	}
}

// runEnding runs TestContainedEnding in a process of its own, calls started when it
// has its container, and returns how it ends.
func runEnding(t *testing.T, temporary, ending string, started func(*os.Process)) error {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestContainedEnding$")
	process.Env = append(os.Environ(), envEnding+"="+ending, "TMPDIR="+temporary)
	stdout, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); err != nil || line != "started\n" {
		rest, _ := io.ReadAll(lines)
		t.Fatalf("the process says %q: %v\n%s", line, err, rest)
	}
	started(process.Process)
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Error(err)
	}
	return process.Wait()
}

func TestChooseRoute_Forced(t *testing.T) {
	t.Parallel()
	if got, err := chooseRoute(t.Context(), "native"); got != NativeRoute || err != nil {
		t.Errorf("native: got %q and %v", got, err)
	}
	if _, err := chooseRoute(t.Context(), "podman"); err == nil || !strings.Contains(err.Error(), "containers or native") {
		t.Errorf("another word: got error %v, want one that names the two", err)
	}
	ended, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	if _, err := chooseRoute(ended, "containers"); !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "no Docker engine answers") {
		t.Errorf("containers without an engine: got error %v", err)
	}
	if got, err := chooseRoute(ended, ""); got != NativeRoute || err != nil {
		t.Errorf("no engine: got %q and %v, want native processes", got, err)
	}
}
