package testenv

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	service, _ := containedDatabase(Small)
	startContainer(t.Context(), t, sharedService(t, &services.engine, openEngine), service)
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
	route, err := ChooseRoute(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if route != ContainersRoute {
		t.Skip("services are native processes: make test-containers runs this in containers")
	}
	docker, err := dialEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return docker
}

func TestContainers_LeaveNothingBehind(t *testing.T) {
	t.Parallel()
	docker := engineForTest(t)
	tests := []struct {
		name, ending string
		signal       syscall.Signal
		left         []string // before the next process sweeps
	}{
		{name: "success", ending: "success"},
		{name: "failure", ending: "failure"},
		{name: "interrupt", ending: "signal", signal: syscall.SIGINT},
		{name: "termination", ending: "signal", signal: syscall.SIGTERM},
		{name: "kill", ending: "signal", signal: syscall.SIGKILL, left: []string{"container", "network", "volume"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { // one by one: the next would sweep what is left
			// The label starts with the folder that the process has for its own.
			temporary := t.TempDir()
			owned := func() (kinds []string) {
				all, err := listLabelled(t.Context(), docker, ownerLabel)
				if err != nil {
					t.Fatal(err)
				}
				for _, thing := range all {
					if strings.HasPrefix(thing.owner, temporary) {
						kinds = append(kinds, thing.kind)
					}
				}
				return kinds
			}
			process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestContainedEnding$")
			process.Env = append(os.Environ(), envEnding+"="+test.ending, "TMPDIR="+temporary)
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
			if test.signal != 0 {
				if diff := cmp.Diff([]string{"container", "network", "volume"}, owned()); diff != "" {
					t.Errorf("made by the process (-want +got):\n%s", diff)
				}
				if err := process.Process.Signal(test.signal); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := io.Copy(io.Discard, lines); err != nil {
				t.Error(err)
			}
			if err := process.Wait(); (err == nil) != (test.ending == "success") {
				t.Errorf("the process ends with %v", err)
			}
			if diff := cmp.Diff(test.left, owned()); diff != "" {
				t.Errorf("left behind (-want +got):\n%s", diff)
			}
			host, err := os.Hostname()
			if err != nil {
				t.Fatal(err)
			}
			if err := sweep(t.Context(), docker, host); err != nil {
				t.Error("sweep:", err)
			}
			if left := owned(); left != nil {
				t.Errorf("left after a sweep: %v", left)
			}
		})
	}
}

// What belongs to a living process stays.
func TestSweep_SparesTheLiving(t *testing.T) {
	t.Parallel()
	docker := engineForTest(t)
	e, err := openEngine(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := sweep(t.Context(), docker, e.labels[hostLabel]); err != nil {
		t.Fatal(err)
	}
	all, err := listLabelled(t.Context(), docker, ownerLabel+"="+e.owner.path)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].kind != "network" {
		t.Errorf("after a sweep: %v, want the network of this process", all)
	}
}

func TestEngine_MakesNothingOnceStopped(t *testing.T) {
	t.Parallel()
	engineForTest(t)
	e, err := openEngine(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(); err != nil {
		t.Fatal(err)
	}
	made := false
	err = e.make(t.Context(), func(context.Context) error { made = true; return nil })
	if err == nil || made {
		t.Errorf("got %v and made is %v, want an error and nothing made", err, made)
	}
}

func TestChooseRoute_Forced(t *testing.T) {
	t.Parallel()
	if got, err := chooseRoute(t.Context(), "native", t.Logf); got != NativeRoute || err != nil {
		t.Errorf("native: got %q and %v", got, err)
	}
	if _, err := chooseRoute(t.Context(), "podman", t.Logf); err == nil || !strings.Contains(err.Error(), "containers or native") {
		t.Errorf("another word: got error %v, want one that names the two", err)
	}
	ended, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	if _, err := chooseRoute(ended, "containers", t.Logf); !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "no Docker engine answers") {
		t.Errorf("containers without an engine: got error %v", err)
	}
	if got, err := chooseRoute(ended, "", t.Logf); got != NativeRoute || err != nil {
		t.Errorf("no engine: got %q and %v, want native processes", got, err)
	}
}

// Images are named after what they are built from, so that a change builds anew.
func TestServiceImage_BuiltName(t *testing.T) {
	t.Parallel()
	var names []string
	for _, image := range []serviceImage{databaseImage(), ollamaImage()} {
		name, err := image.builtName()
		if err != nil {
			t.Fatal(err)
		}
		again, err := image.builtName()
		if err != nil || again != name {
			t.Errorf("got %q and %v, then %q", name, err, again)
		}
		if !strings.HasPrefix(name, "compound-docs/"+image.folder+":"+image.variant+"-") {
			t.Errorf("the image of %s is named %q", image.folder, name)
		}
		names = append(names, name)
	}
	if slices.Compact(names)[0] == names[len(names)-1] {
		t.Errorf("both images are named %q", names[0])
	}
}
