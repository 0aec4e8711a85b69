//go:build unix

package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// detached is a session of its own: the program gets no signals that are meant for this
// process and its terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func terminate(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end process %d: %w", pid, err)
	}
	return nil
}

// runs reports whether a process is a program of a name, and has not ended: its number
// may be another's by now.
func runs(pid int, name string) bool {
	if runtime.GOOS == "linux" {
		const most = 15 // bytes of the name that Linux keeps
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, text, _ = bytes.Cut(text, []byte("("))
		end := bytes.LastIndexByte(text, ')')
		return err == nil && end >= 0 && string(text[:end]) == name[:min(most, len(name))] &&
			!bytes.HasPrefix(text[end:], []byte(") Z")) // which has ended, and whose parent has not asked
	}
	//nolint:gosec // of a number
	text, err := exec.CommandContext(context.Background(), "ps", "-o", "stat=,comm=", "-p", strconv.Itoa(pid)).Output()
	state, program, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return err == nil && !strings.HasPrefix(state, "Z") && filepath.Base(strings.TrimSpace(program)) == name
}
