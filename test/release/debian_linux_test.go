package release_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// From the package to the first result in a bare Debian 12, without PostgreSQL, pip and a compiler: as root
// from the deb, and as a user who is not root from the archive.
func TestPackages_FirstResultOnDebian12(t *testing.T) {
	t.Parallel()
	goReleaser(t)
	testenv.Slow(t, "a Debian of its own")
	root := debian(t)
	dist := forThisSystem(t)
	for name, pattern := range map[string]string{"compound-docs.deb": "*.deb", "compound-docs.tar.gz": "*.tar.gz"} {
		if err := os.WriteFile(filepath.Join(root, "opt", name), readFile(t, one(t, dist, pattern)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	project := os.DirFS(filepath.Join(repository, "examples", "demo-project"))
	if err := os.CopyFS(filepath.Join(root, "opt", "project"), project); err != nil {
		t.Fatal(err)
	}
	const begin = `cp -r /opt/project ~/project && cd ~/project
		compound-docs init && compound-docs search connection pool exhausted && compound-docs down`
	for _, step := range []struct{ name, script string }{
		{"a user, from the archive", `useradd --create-home person
			runuser -u person -- env HOME=/home/person sh -ec 'mkdir ~/compound-docs && tar -xzf /opt/compound-docs.tar.gz -C ~/compound-docs
			export PATH=~/compound-docs:$PATH
			` + begin + "'"},
		{"root, from the deb", "dpkg -i /opt/compound-docs.deb >/dev/null\n" + begin},
	} {
		if said := inside(t, root, step.script); !strings.Contains(said, "db-pool-exhaustion") {
			t.Errorf("%s: it says\n%s", step.name, said)
		}
	}
}

// debian returns the folder of a new Debian 12 with its essential packages.
func debian(t *testing.T) (root string) {
	t.Helper()
	if _, err := exec.LookPath("debootstrap"); err != nil || os.Geteuid() != 0 {
		t.Skip("debootstrap, and root, are needed to make a Debian")
	}
	mirror, err := exec.CommandContext(t.Context(), "apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)",
		"Created-By: Packages").Output()
	_, mirrors, found := strings.Cut("\n"+string(mirror), "\nDebian ")
	if err != nil || !found {
		t.Skip("this machine takes no packages from a mirror of Debian:", err)
	}
	root, err = os.MkdirTemp("", "cdocs-debian-") //nolint:usetesting // another user must be able to enter it
	if err = errors.Join(err, os.Chmod(root, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	bootstrap := exec.CommandContext(t.Context(), "debootstrap", "--variant=minbase", "bookworm", root, strings.Fields(mirrors)[0])
	if output, err := bootstrap.CombinedOutput(); err != nil {
		t.Skipf("debootstrap: %v\n%s", err, output[max(0, len(output)-500):])
	}
	return root
}

// inside runs a shell script in a root, as its root. Programs that it leaves behind end with it.
func inside(t *testing.T, root, script string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec",
		`mkdir -p "$0/dev/shm"
		mount -t proc none "$0/proc"
		mount -t tmpfs none "$0/dev/shm"
		exec chroot "$0" sh -ec "$1"`, root, script)
	command.Env = []string{"HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, &output)
	}
	return output.String()
}
