package contain_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Somebody replaces a folder and a file by what must not be read, as fast as they can.
func TestRoot_IsNotFooledWhileFilesAreReplaced(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	outside := newFolder(t, map[string]string{"f.md": secret, "g.md": secret})
	dir := newFolder(t, map[string]string{
		"a/f.md": "text", "a/g.md": "text", ".git/f.md": secret, ".git/g.md": secret, "to-git": "->.git", "to-out": "->" + outside,
		"a/.f.md": secret, "to-hidden": "->.f.md", "spare/f.md": "text", "spare/g.md": "text", "link.md": "->a/f.md",
	})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	exchange := func(one, other string) {
		if err := unix.Renameat2(unix.AT_FDCWD, at(one), unix.AT_FDCWD, at(other), unix.RENAME_EXCHANGE); err != nil {
			t.Error(err)
		}
	}
	stop := make(chan struct{})
	var replacing sync.WaitGroup
	replacing.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			pair := [][2]string{
				{"a", "to-git"}, {"a", "to-out"}, {"a", "spare"}, {"a", "pipe"}, {"a/f.md", "to-hidden"}, {"a/f.md", "pipe"},
			}[random.IntN(6)]
			exchange(pair[0], pair[1])
			exchange(pair[0], pair[1])
		}
	})
	end := sync.OnceFunc(func() {
		close(stop)
		replacing.Wait()
	})
	defer end()
	root := open(t, dir)
	read, refused := 0, 0
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		for _, name := range []string{"a/f.md", "link.md"} {
			file, err := root.Read(name, 100)
			switch {
			case err != nil:
				refused++
			case string(file.Content) == secret:
				t.Fatalf("a secret was read by the name %s", name)
			default:
				read++
			}
		}
		if err := root.Replace("a/g.md", []byte(secret), []byte("text")); err == nil {
			read++
		}
	}
	end()
	t.Logf("%d read or written, %d refused", read, refused)
	if read == 0 || refused == 0 {
		t.Error("nothing was replaced, or nothing could be read: the test shows nothing")
	}
	for _, folder := range []string{outside, at(".git")} {
		for _, name := range []string{"f.md", "g.md"} {
			if content, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(content) != secret {
				t.Errorf("%s/%s is %q now (%v)", folder, name, content, err)
			}
		}
	}
}
