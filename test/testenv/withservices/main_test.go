package main

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
)

func TestRunCommand_ExitStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         int
	}{
		{"success", "exit 0", 0},
		{"failure", "exit 7", 7},
		{"environment", `[ "$ANSWER" = 42 ] && exit 3`, 3},
		{"killed by a signal", "kill -KILL $$", 128 + 9},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := runCommand([]string{"sh", "-c", test.script}, append(os.Environ(), "ANSWER=42"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got exit status %d, want %d", got, test.want)
			}
		})
	}
}

// The command sends a signal to this process and ends when it gets it back.
//
//nolint:paralleltest // signals are the process's
func TestRunCommand_PassesSignalsOn(t *testing.T) {
	for name, want := range map[string]int{"TERM": 15, "INT": 2} {
		t.Run(name, func(t *testing.T) {
			signals := make(chan os.Signal, 1)
			signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
			defer signal.Stop(signals)
			script := `trap "exit ` + strconv.Itoa(want) + `" ` + name +
				`; kill -` + name + ` $PPID; while :; do sleep 0.01; done`
			got, err := runCommand([]string{"sh", "-c", script}, os.Environ(), signals)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("got exit status %d, want %d", got, want)
			}
		})
	}
}
