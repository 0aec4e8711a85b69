// Package process names a process, so that another process of the same machine can tell whether it still
// runs. It must not know the purpose of processes.
package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// ID returns the name of this process, unique on all machines. For people it begins with the process's number
// and host. Then come the machine since its last start with the namespace of processes, and the start of the
// process.
func ID() string { return own() }

var own = sync.OnceValue(func() string { //nolint:gochecknoglobals // it does not change
	host, err := os.Hostname()
	if err != nil || strings.ContainsAny(host, " \n") {
		host = "unknown"
	}
	pid := os.Getpid()
	started, _ := startOf(pid)
	return fmt.Sprintf("%d@%s %s %s", pid, host, machine(), started)
})

// parts are those of an ID.
type parts struct {
	pid                    int
	host, machine, started string
}

// parse reads an ID. A text may follow it after a space.
func parse(id string) (p parts, ok bool) {
	fields := strings.Fields(id)
	if len(fields) < 3 {
		return parts{}, false
	}
	pid, host, found := strings.Cut(fields[0], "@")
	number, err := strconv.Atoi(pid)
	return parts{pid: number, host: host, machine: fields[1], started: fields[2]}, found && err == nil && number > 0
}

// Describe names the process of an ID for people, and returns "" for another text.
func Describe(id string) string {
	p, ok := parse(id)
	if !ok {
		return ""
	}
	return fmt.Sprintf("process %d on %s", p.pid, p.host)
}

// Gone reports whether the process of an ID has surely ended. It returns false for another machine or
// container, and if [ID] does not know the machine.
func Gone(id string) bool {
	p, ok := parse(id)
	if !ok || p.machine == unknown || p.machine != machine() {
		return false
	}
	if !exists(p.pid) {
		return true
	}
	started, known := startOf(p.pid)
	return known && started != p.started
}

// ended is the start of a process that has ended and whose parent has not waited for it yet.
const ended = "ended"

// unknown is for values that the operating system does not report.
const unknown = "-"
