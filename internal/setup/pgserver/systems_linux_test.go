package pgserver

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// The pgvector of a named PostgreSQL is found, wherever the packages of each system put both.
func TestFind_OnEachSystem(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		bin, share string
		config     bool // there is a pg_config beside the programs, which names share
	}{
		"Debian, and PGDG":  {"/usr/lib/postgresql/17/bin", "/usr/share/postgresql/17", true},
		"Fedora":            {"/usr/bin", "/usr/share/pgsql", false},
		"PGDG for Fedora":   {"/usr/pgsql-17/bin", "/usr/pgsql-17/share", false},
		"Arch":              {"/usr/bin", "/usr/share/postgresql", true},
		"Alpine":            {"/usr/libexec/postgresql17", "/usr/share/postgresql17", false},
		"openSUSE":          {"/usr/lib/postgresql17/bin", "/usr/share/postgresql17", false},
		"Homebrew":          {"/opt/homebrew/opt/postgresql@17/bin", "/opt/homebrew/share/postgresql@17", true},
		"Homebrew on Intel": {"/usr/local/opt/postgresql@17/bin", "/usr/local/share/postgresql@17", true},
		"Homebrew on Linux": {"/home/linuxbrew/.linuxbrew/opt/postgresql@17/bin", "/home/linuxbrew/.linuxbrew/share/postgresql@17", true},
		"Postgres.app":      {"/Applications/Postgres.app/Contents/Versions/17/bin", "/Applications/Postgres.app/Contents/Versions/17/share/postgresql", true},
		"Nix":               {"/nix/profile/bin", "/nix/profile/share/postgresql", true},
	}
	this, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			programs := []string{"/find", test.bin + "/initdb", test.bin + "/postgres"}
			if test.config {
				programs = append(programs, test.bin+"/pg_config")
			}
			link(t, os.DevNull, filepath.Join(root, os.DevNull)) // an empty file will do
			for _, program := range programs {
				link(t, this, filepath.Join(root, program))
			}
			extension := filepath.Join(root, test.share, "extension")
			if err := os.MkdirAll(extension, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(extension, "vector.control"), []byte("default_version = '0.8.1'\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			find := exec.CommandContext(t.Context(), "/find")
			find.Dir, find.Env = "/", []string{findingProcess + "=" + test.bin + ":" + test.share}
			find.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
			if os.Geteuid() != 0 {
				find.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
				find.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
				find.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
			}
			text, err := find.Output()
			if errors.Is(err, syscall.EPERM) || errors.Is(err, fs.ErrNotExist) {
				t.Skip("no namespaces may be made here, or the tests are linked dynamically:", err)
			}
			var found []string
			if err == nil {
				err = json.Unmarshal(text, &found)
			}
			if want := []string{test.bin, "17.6", "0.8.1"}; err != nil || !slices.Equal(found, want) {
				t.Errorf("found %v, %v; want %v", found, err, want)
			}
		})
	}
}

// link puts a program to a path, as a link where the file system allows it.
func link(t *testing.T, program, path string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil && os.Link(program, path) != nil {
		var text []byte
		if text, err = os.ReadFile(program); err == nil {
			err = os.WriteFile(path, text, 0o700)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
