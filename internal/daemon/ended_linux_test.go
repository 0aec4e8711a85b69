package daemon_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/compound-docs/compound-docs/internal/daemon"
	"github.com/compound-docs/compound-docs/internal/process"
)

// A program whose parent has not asked how it ended is still in the list of processes.
func TestDaemon_HasEnded(t *testing.T) {
	t.Parallel()
	ended := exec.Command("sleep", "0")
	if err := ended.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ended.Wait() })
	id := process.IDOf(ended.Process.Pid)
	if err := unix.Waitid(unix.P_PID, ended.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	d := daemon.Daemon{Name: "sleep", Folder: t.TempDir()}
	if err := os.WriteFile(filepath.Join(d.Folder, "sleep.pid"), []byte(id), 0o600); err != nil {
		t.Fatal(err)
	}
	if ran, err := d.Stop(); ran || err != nil {
		t.Errorf("stop: %t, %v", ran, err)
	}
}
