package testenv

import (
	"os"
	"syscall"
	"testing"

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
