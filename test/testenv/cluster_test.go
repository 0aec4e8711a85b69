package testenv

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestStartCluster_EndsWithItsOwner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells children of their parent's end")
	}
	const what = "starts a cluster"
	if os.Getenv(envChild) == what {
		database, err := startCluster(t.Context(), Small, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		tellParent(t, database.URL)
	}
	owner := startChild(t, what)
	conn := connect(t, owner.said)
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
		lock := tryLockFile(filepath.Join(folder, ownerLock))
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
