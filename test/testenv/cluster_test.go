package testenv

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// envAbandon makes the test binary start a cluster, print its URL, and wait to
// be killed.
const envAbandon = "TESTENV_ABANDON"

func abandonCluster() {
	database, err := startCluster(context.Background(), Small, func(string, ...any) {})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(database.URL)
	select {}
}

// A process that is killed takes its server with it.
func TestStartCluster_EndsWithItsOwner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells children of their parent's end")
	}
	owner := exec.CommandContext(t.Context(), os.Args[0])
	owner.Env = append(os.Environ(), envAbandon+"=1")
	stdout, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	databaseURL := strings.TrimSpace(line)
	conn := connect(t, databaseURL)
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := conn.WaitForNotification(ctx); err == nil || ctx.Err() != nil {
		t.Fatalf("the server has outlived its owner: %v", err)
	}
	if err := owner.Wait(); err == nil {
		t.Error("the owner ended by itself")
	}
}

func TestRemoveAbandoned(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	tests := []struct {
		name   string
		age    time.Duration
		locked bool
		kept   bool
	}{
		{name: "x-abandoned", age: time.Hour},
		{name: "x-in-use", age: time.Hour, locked: true, kept: true},
		{name: "x-new", kept: true},
		{name: "other", age: time.Hour, kept: true},
	}
	for _, test := range tests {
		folder := filepath.Join(parent, test.name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		lock, err := lockFile(t.Context(), filepath.Join(folder, ownerLock))
		if err != nil {
			t.Fatal(err)
		}
		if !test.locked {
			if err := lock.Unlock(); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Cleanup(func() { _ = lock.Unlock() })
		}
		changed := time.Now().Add(-test.age)
		if err := os.Chtimes(folder, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	removeAbandoned(filepath.Join(parent, "x-*"), t.Logf)
	for _, test := range tests {
		_, err := os.Stat(filepath.Join(parent, test.name))
		if kept := err == nil; kept != test.kept {
			t.Errorf("%s: kept %v, want %v", test.name, kept, test.kept)
		}
	}
}
