//go:build unix

package daemon_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/internal/daemon"
	"github.com/compound-docs/compound-docs/internal/process"
)

func TestDaemon(t *testing.T) {
	t.Parallel()
	d := daemon.Daemon{Name: "sleep", Folder: filepath.Join(t.TempDir(), "home")}
	if ran, err := d.Stop(); ran || err != nil {
		t.Errorf("before the start: %t, %v", ran, err)
	}
	if err := d.Start(nil, "600"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(d.Folder, "sleep.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, running := process.Running(string(text))
	if !running {
		t.Fatalf("%q does not run", text)
	}
	if own, err := syscall.Getpgid(pid); err != nil || own != pid {
		t.Errorf("it is in the process group %d, %v; want one of its own", own, err)
	}
	if ran, err := d.Stop(); !ran || err != nil {
		t.Errorf("stop: %t, %v", ran, err)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Error("it runs after the stop")
	}
	if ran, err := d.Stop(); ran || err != nil {
		t.Errorf("a second stop: %t, %v", ran, err)
	}
}

// The number of a program that has ended may be another's by now.
func TestDaemon_LeavesOthersAlone(t *testing.T) {
	t.Parallel()
	other := exec.Command("sleep", "600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := other.Process.Kill(); err != nil {
			t.Error("it was ended: ", err)
		}
		_ = other.Wait()
	})
	d := daemon.Daemon{Name: "ollama", Folder: t.TempDir()}
	earlier := strings.Fields(process.IDOf(other.Process.Pid))
	earlier[2] = "1" // another was started then
	if err := os.WriteFile(filepath.Join(d.Folder, "ollama.pid"), []byte(strings.Join(earlier, " ")), 0o600); err != nil {
		t.Fatal(err)
	}
	if ran, err := d.Stop(); ran || err != nil {
		t.Errorf("stop: %t, %v", ran, err)
	}
	if status, err := os.ReadFile("/proc/" + strconv.Itoa(other.Process.Pid) + "/stat"); err == nil && strings.Contains(string(status), ") Z") {
		t.Error("another program was ended")
	}
}
