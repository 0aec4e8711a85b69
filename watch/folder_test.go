//go:build unix

package watch

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A missing folder blocks only its own mirror, and is found at once when it is there.
func TestMirror_FolderComesAndGoes(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "docs")
	m := watchFolder(t, Folder{Dir: dir, Inside: parent, MayBeMissing: true})
	nothing := map[string]string{}
	m.becomes(t, "no folder", nothing, nothing)
	for range 3 {
		started := time.Now()
		write(t, filepath.Join(dir, "a.md"), "a")
		m.becomes(t, "created", map[string]string{"a.md": "a"}, nothing)
		write(t, filepath.Join(dir, "b.md"), "b")
		m.becomes(t, "watched", map[string]string{"a.md": "a", "b.md": "b"}, nothing)
		remove(t, dir)
		m.becomes(t, "removed", nothing, nothing)
		if took := time.Since(started); took > 10*time.Second {
			t.Errorf("coming and going was noticed in %s: by a rescan?", took)
		}
	}

	waits := func(reason string) {
		t.Helper()
		deadline := time.After(20 * time.Second)
		for err := m.mirror.Status().Err; err == nil || !strings.Contains(err.Error(), reason); err = m.mirror.Status().Err {
			select {
			case <-deadline:
				t.Fatalf("the mirror waits for %v, want %q", err, reason)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	write(t, dir, "not a folder")
	waits("not a directory")
	remove(t, dir)
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "secret.md"), "secret")
	makeLink(elsewhere)(t, dir)
	waits("escapes")
	remove(t, dir)
	write(t, filepath.Join(parent, "real", "c.md"), "c")
	makeLink("real")(t, dir)
	m.becomes(t, "a link inside", map[string]string{"c.md": "c"}, nothing)
	write(t, filepath.Join(parent, "real", "d.md"), "d")
	m.becomes(t, "watched through a link", map[string]string{"c.md": "c", "d.md": "d"}, nothing)
}

// Root reads everything, so as root the test is run again under an account that
// does not.
func TestMirror_WhatCannotBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		runAsNobody(t)
		return
	}
	dir := t.TempDir()
	chmod := func(name string, mode os.FileMode) {
		t.Helper()
		must(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	write(t, filepath.Join(dir, "good.md"), "good")
	write(t, filepath.Join(dir, "shut.md"), "shut")
	write(t, filepath.Join(dir, "room", "inside.md"), "inside")
	chmod("shut.md", 0)
	chmod("room", 0)
	t.Cleanup(func() { chmod("room", 0o700) })
	m := watchFolder(t, Folder{Dir: dir})
	want := map[string]string{"good.md": "good"}
	m.becomes(t, "shut", want, map[string]string{"shut.md": "permission denied", "room": "permission denied"})

	chmod("shut.md", 0o600)
	want["shut.md"] = "shut"
	m.becomes(t, "a file is opened", want, map[string]string{"room": "permission denied"})
	chmod("room", 0o700)
	want["room/inside.md"] = "inside"
	m.becomes(t, "a folder is opened", want, map[string]string{})
	write(t, filepath.Join(dir, "room", "late.md"), "late")
	want["room/late.md"] = "late"
	m.becomes(t, "it is watched", want, map[string]string{})

	// Files of an unreadable folder stay known.
	chmod("room", 0)
	write(t, filepath.Join(dir, "sub", "new.md"), "a new folder makes for a walk")
	want["sub/new.md"] = "a new folder makes for a walk"
	m.becomes(t, "shut again", want, map[string]string{"room": "permission denied"})
}

func runAsNobody(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("this account reads everything")
	}
	const nobody = 65534
	home, err := os.MkdirTemp("", "nobody")
	must(t, err)
	t.Cleanup(func() { remove(t, home) })
	must(t, os.Chown(home, nobody, nobody))
	// The folder of the test's program may be closed to others, so that it is
	// reached as what it is already.
	command := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	command.Dir, command.Env = home, []string{"TMPDIR=" + home}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: "+t.Name()) {
		t.Fatalf("as nobody: %v\n%s", err, output)
	}
}

// A folder of a cloned repository must not lead out of it.
func TestFolder_ReadStaysInside(t *testing.T) {
	t.Parallel()
	outside, repository := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret.md"), "secret")
	makeLink(outside)(t, filepath.Join(repository, "docs"))
	folder := Folder{Dir: filepath.Join(repository, "docs"), Inside: repository}
	if file, err := folder.Read("secret.md"); err == nil {
		t.Errorf("read %q from outside of the repository", file.Content)
	}
	// By a name that leads over a link to a folder, which no walk does.
	write(t, filepath.Join(repository, "notes", ".git", "config.md"), "secret")
	makeLink(".git")(t, filepath.Join(repository, "notes", "folder"))
	notes := Folder{Dir: filepath.Join(repository, "notes"), Inside: repository}
	if file, err := notes.Read("folder/config.md"); err == nil {
		t.Errorf("read %q from a hidden folder", file.Content)
	}
	// The folder itself.
	makeLink("notes/.git")(t, filepath.Join(repository, "visible"))
	for name, folder := range map[string]Folder{
		"over a link":  {Dir: filepath.Join(repository, "visible"), Inside: repository},
		"by its name":  {Dir: filepath.Join(repository, "notes", ".git"), Inside: repository},
		"by no folder": {Dir: filepath.Join(repository, "visible"), Inside: filepath.Join(repository, "visible")},
	} {
		if file, err := folder.Read("config.md"); err == nil {
			t.Errorf("read %q from a hidden folder %s", file.Content, name)
		}
	}
	bad := badFiles(t)
	dir := t.TempDir()
	for _, file := range bad {
		if strings.Contains(file.reason, "belong") { // Match says so, and there is no Match here
			continue
		}
		file.make(t, filepath.Join(dir, file.name))
		if !strings.HasSuffix(file.name, ".md") || strings.Contains(file.reason, "UTF-8") {
			continue
		}
		if _, err := (Folder{Dir: dir}).Read(file.name); err == nil {
			t.Errorf("%s was read, which %s", file.name, file.reason)
		}
	}
}
