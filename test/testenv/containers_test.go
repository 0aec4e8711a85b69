package testenv

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// A process that is told to end removes its containers. The next process removes
// those of one that was killed, and no others.
func TestContainers_LeaveNothingBehind(t *testing.T) {
	t.Parallel()
	skipUnlessContained(t)
	const what = "starts a container"
	service, _ := containedDatabase(Small, true)
	own := startContainer(t.Context(), t, service)
	if os.Getenv(envChild) == what {
		tellParent(t, own.running.GetContainerID())
	}
	docker, host := services.engine.value.docker, services.engine.value.labels[hostLabel]
	exists := func(id string) bool {
		_, err := docker.ContainerInspect(t.Context(), id, client.ContainerInspectOptions{})
		if err != nil && !errdefs.IsNotFound(err) {
			t.Fatal(err)
		}
		return err == nil
	}
	for _, test := range []struct {
		signal syscall.Signal
		left   bool // before the next process looks
	}{{syscall.SIGINT, false}, {syscall.SIGTERM, false}, {syscall.SIGKILL, true}} {
		child := startChild(t, what)
		if err := child.Process.Signal(test.signal); err != nil {
			t.Fatal(err)
		}
		if err := child.Wait(); err == nil {
			t.Errorf("%v: the process ended well", test.signal)
		}
		if left := exists(child.said); left != test.left {
			t.Errorf("%v: the container is left behind: %v, want %v", test.signal, left, test.left)
		}
		if err := removeContainers(t.Context(), docker, hostLabel+"="+host, hasEnded); err != nil {
			t.Error("remove what was left behind:", err)
		}
		if exists(child.said) {
			t.Errorf("%v: the container is left after the removal of what processes left that have ended", test.signal)
		}
	}
	if !exists(own.running.GetContainerID()) {
		t.Error("the container of this process was removed")
	}
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
