package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// machine is the kernel since its last start, with the namespaces of processes and of time.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, namespaceErr := os.Readlink("/proc/self/ns/pid")
	if err != nil || namespaceErr != nil {
		return unknown
	}
	clock, _ := os.Readlink("/proc/self/ns/time") // none in old kernels
	return filepath.Join(strings.TrimSpace(string(boot)), namespace, clock)
}

// startOf returns the start of a process in clock ticks of the kernel, or ended. known is false if this user
// may not see the process.
func startOf(pid int) (started string, known bool) {
	const state, start = 0, 19 // behind the name, which may contain anything
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if err != nil || len(fields) <= start {
		return unknown, false
	}
	if fields[state] == "Z" {
		return ended, true
	}
	return fields[start], true
}
