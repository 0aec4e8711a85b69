package release_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/postgres"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// bareRoot is the root of a system that has only the files of a package.
type bareRoot struct {
	folder  string
	program string // path inside
	uid     int
	home    string // path inside
	env     []string
}

// command is the program inside, as the user.
func (r *bareRoot) command(arguments ...string) *exec.Cmd {
	command := exec.Command(r.program, arguments...)
	command.Dir, command.Env = r.home+"/project", append([]string{"HOME=" + r.home, "PATH=/usr/bin:/usr/local/bin"}, r.env...)
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: r.folder}
	if os.Geteuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(r.uid), Gid: uint32(r.uid)}
		return command
	}
	command.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: r.uid, HostID: os.Getuid(), Size: 1}}
	command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: r.uid, HostID: os.Getgid(), Size: 1}}
	return command
}

// run runs the program inside, which must succeed.
func (r *bareRoot) run(t *testing.T, arguments ...string) string {
	t.Helper()
	command := r.command(arguments...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("no namespaces may be made here:", err)
	}
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", r.program, strings.Join(arguments, " "), err, &output)
	}
	return output.String()
}

// installer puts a package into a bare root.
type installer struct {
	file    string // pattern in dist/
	needs   string // a program of the system
	script  string // for a shell, with $root and $file
	program string // path inside
}

var installers = map[string]installer{
	"archive": {
		"*.tar.gz", "tar", `mkdir -p "$root/usr/local/bin" && tar -xzf "$file" -C "$root/usr/local/bin"`,
		"/usr/local/bin/compound-docs",
	},
	"deb": {
		"*.deb", "dpkg", `mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" && touch "$root/var/lib/dpkg/status" &&
		dpkg --root="$root" --force-not-root --log=/dev/null -i "$file" && dpkg --root="$root" -s compound-docs | grep -q "^Status: install ok"`,
		"/usr/bin/compound-docs",
	},
	"rpm": {
		"*.rpm", "rpm", `rpm --root "$root" --initdb && rpm --root "$root" --nosignature -i "$file" && rpm --root "$root" -V compound-docs`,
		"/usr/bin/compound-docs",
	},
	// An apk is three archives in a row: the signature, the description, and the files.
	"apk": {
		"*.apk", "tar", `tar -xzf "$file" -C "$root" --ignore-zeros && grep -qx "pkgname = compound-docs" "$root/.PKGINFO"`,
		"/usr/bin/compound-docs",
	},
}

// The program runs in a root without a shell, libraries and git, as root and as a user without sudo. The
// PostgreSQL beside it needs the system's libraries: TestPackages_FirstResultOnDebian12 runs that.
func TestPackages_WorkInABareRoot(t *testing.T) {
	t.Parallel()
	folder := forThisSystem(t)
	version := releaseVersion(t, folder)
	for name, with := range installers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := with.install(t, folder)
			if name != "archive" {
				hasHelp(t, root)
			}
			for user, uid := range map[string]int{"root": 0, "person": 1000} {
				r := &bareRoot{folder: root, program: with.program, uid: uid, home: "/home/" + user}
				r.prepare(t)
				if said := r.run(t, "--version"); !strings.Contains(said, "v"+version) {
					t.Errorf("%s: version prints %s, want %s", user, said, version)
				}
				r.run(t, "lint")
				if said := r.run(t, "search", "connection", "pool", "exhausted"); !strings.Contains(said, "db-pool-exhaustion") {
					t.Errorf("%s: search prints %s", user, said)
				}
				r.list(t)
				r.hasPostgreSQL(t, name != "apk")
			}
		})
	}
}

// hasHelp fails unless a root has the man page and the completions.
func hasHelp(t *testing.T, root string) {
	t.Helper()
	for _, file := range []string{
		"man/man1/compound-docs.1.gz", "bash-completion/completions/compound-docs", "zsh/vendor-completions/_compound-docs",
		"fish/vendor_completions.d/compound-docs.fish",
	} {
		if info, err := os.Stat(filepath.Join(root, "usr/share", file)); err != nil || info.Size() < 500 {
			t.Errorf("%s is missing, or empty: %v", file, err)
		}
	}
}

// install installs a package of dist/ into a new root.
func (i installer) install(t *testing.T, dist string) (root string) {
	t.Helper()
	if _, err := exec.LookPath(i.needs); err != nil {
		t.Skipf("%s is not on this machine", i.needs)
	}
	root, err := os.MkdirTemp("", "cdocs-release-") //nolint:usetesting // another user must be able to enter it
	if err == nil {
		err = os.Chmod(root, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	shell := exec.CommandContext(t.Context(), "sh", "-ec", i.script)
	shell.Env = append(os.Environ(), "root="+root, "file="+one(t, dist, i.file), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("install %s: %v\n%s", i.file, err, output)
	}
	return root
}

// prepare gives the user a home with the demo project, a folder for temporary files, and a
// database, which is reached over TCP as another machine's would be.
func (r *bareRoot) prepare(t *testing.T) {
	t.Helper()
	relay, databaseURL, err := testenv.StartDatabaseRelay(testenv.DatabaseURL(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(relay.Close)
	r.env = []string{"CDOCS_DATABASE_URL=" + databaseURL, "CDOCS_OLLAMA_HOST=http://127.0.0.1:9"}
	home := filepath.Join(r.folder, r.home)
	err = errors.Join(os.MkdirAll(filepath.Join(r.folder, "tmp"), 0o777), os.MkdirAll(home, 0o755),
		os.CopyFS(filepath.Join(home, "project"), os.DirFS(filepath.Join(repository, "examples", "demo-project"))))
	if err == nil && os.Geteuid() == 0 {
		err = filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, r.uid, r.uid))
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// hasPostgreSQL checks whether the program has a PostgreSQL where it looks for one.
func (r *bareRoot) hasPostgreSQL(t *testing.T, want bool) {
	t.Helper()
	beside := filepath.Join(r.folder, filepath.Dir(r.program))
	found := false
	for _, folder := range []string{"postgresql", "../lib/compound-docs/postgresql"} {
		info, err := os.Stat(filepath.Join(beside, folder, postgres.Bin, "postgres"))
		found = found || err == nil && info.Mode().Perm() == 0o755
	}
	if found != want {
		t.Errorf("PostgreSQL is in the package: %t, want %t", found, want)
	}
}

// list asks a server over stdio for its tools.
func (r *bareRoot) list(t *testing.T) {
	t.Helper()
	listTools(t, r.command("serve"))
}

func listTools(t *testing.T, command *exec.Cmd) {
	t.Helper()
	client, err := mcpclient.Start(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := client.ListTools(t.Context(), nil)
	if err = errors.Join(err, client.Close()); err != nil || len(tools.Tools) < 10 {
		t.Errorf("tools/list answers %+v, %v", tools, err)
	}
}
