//go:build unix

package watch

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Opening a named pipe waits for the other end.
func TestFolder_NamedPipeDoesNotBlock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	makeLink("pipe")(t, filepath.Join(dir, "link"))
	for name, folder := range map[string]Folder{
		"alone": {Dir: pipe}, "inside a folder": {Dir: pipe, Inside: dir}, "inside itself": {Dir: pipe, Inside: pipe},
		"over a link": {Dir: filepath.Join(dir, "link"), Inside: dir},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan error, 1)
			go func() {
				_, err := folder.Read("a.md")
				done <- err
			}()
			select {
			case err := <-done:
				if err == nil {
					t.Error("a file was read from a pipe")
				}
			case <-time.After(10 * time.Second):
				t.Error("it waits for the pipe")
			}
		})
	}
}
