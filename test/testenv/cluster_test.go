package testenv

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
)

// A process that is killed takes its server with it, and the next one removes its
// folder.
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
	folder := conn.Config().Host
	leaves := func() bool { // the folder, old enough to count as abandoned
		old := time.Now().Add(-2 * abandonedAge)
		if err := os.Chtimes(folder, old, old); err != nil {
			t.Fatal(err)
		}
		removeAbandoned(folder, t.Logf)
		_, err := os.Stat(folder)
		return err == nil
	}
	if !leaves() {
		t.Fatal("the folder of a living process was removed")
	}
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
	if leaves() {
		t.Error("the folder of a killed process is left")
	}
}
