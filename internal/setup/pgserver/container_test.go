package pgserver

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/deploy"
)

// fakeDocker puts a docker first on the PATH, which writes down what it is asked, and
// fails if fails is in it.
func fakeDocker(t *testing.T, fails string) (asked func() string) {
	t.Helper()
	folder := t.TempDir()
	script := `#!/bin/sh
case "$*" in *"` + fails + `"*) echo "no such command" >&2; exit 1;; esac
echo "$*" >>"` + folder + `/asked"
case "$*" in *" --file "*) { pwd; env | grep -e ^COMPOSE_ -e ^CDOCS_POSTGRES_PASSWORD=; } >"` + folder + `/surroundings" ;; esac
case "$*" in *" up "*) cat >"` + folder + `/file" ;; esac
`
	if err := os.WriteFile(filepath.Join(folder, "docker"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	return func() string {
		asked, _ := os.ReadFile(filepath.Join(folder, "asked"))
		file, _ := os.ReadFile(filepath.Join(folder, "file"))
		if len(file) > 0 && string(file) != deploy.Compose {
			t.Errorf("docker gets another file: %s", file)
		}
		return string(asked)
	}
}

func TestServer_InAContainer(t *testing.T) {
	missing := &Error{Err: ErrNotInstalled, Hint: "install it"}
	tests := []struct {
		name, fails string
		cluster     bool // there is one, whose programs are gone
		url, asked  string
	}{
		{"with Docker", "nothing fails", false, "postgres://compound_docs:PASSWORD@127.0.0.1:5433/compound_docs", " --file - up --detach --wait postgres\n"},
		{"without its image", " up ", false, "", ""},
		{"without Compose", "compose", false, "", ""},
		{"without its engine", "compose ls", false, "", ""},
		{"with a cluster", "nothing fails", true, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			asked := fakeDocker(t, test.fails)
			t.Setenv("CDOCS_POSTGRES_PASSWORD", "")
			s := newServer(t, t.TempDir())
			p := layout{folder: s.home}
			if test.cluster {
				if err := os.MkdirAll(filepath.Join(s.home, "15"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(s.home, "15", "PG_VERSION"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			url, err := s.startContainer(t.Context(), p, missing)
			if password, kept := os.ReadFile(filepath.Join(s.home, "container", "password")); kept == nil {
				url = strings.Replace(url, string(password), "PASSWORD", 1)
			}
			if url != test.url || (err != nil) != (test.url == "") {
				t.Errorf("got %q, %v; want %q", url, err, test.url)
			}
			if err != nil && !errors.Is(err, ErrNotInstalled) {
				t.Errorf("error %v, want what is missing", err)
			}
			if problem := new(Error); err != nil && (!errors.As(err, &problem) || problem.Hint != missing.Hint) {
				t.Errorf("error %v, want how to install it", err)
			}
			if got := asked(); !strings.HasSuffix(got, test.asked) || test.asked == "" && strings.Contains(got, " up ") {
				t.Errorf("docker was asked\n%s", got)
			}
		})
	}
	t.Run("with a password", func(t *testing.T) {
		t.Setenv("CDOCS_POSTGRES_PASSWORD", "s3 cret")
		got, err := container{folder: t.TempDir()}.url()
		if err != nil || got != "postgres://compound_docs:s3%20cret@127.0.0.1:5433/compound_docs" {
			t.Errorf("URL %s, %v", got, err)
		}
	})
}

// A repository in which the server is started chooses neither the image nor the password
// of the container.
func TestServer_ContainerKnowsNothingOfTheRepository(t *testing.T) {
	fakeDocker(t, "nothing fails")
	bin, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	t.Setenv("CDOCS_POSTGRES_PASSWORD", "")
	t.Setenv("COMPOSE_FILE", "evil.yaml")
	t.Setenv("COMPOSE_ENV_FILES", ".env")
	repository := t.TempDir()
	if err := os.WriteFile(filepath.Join(repository, ".env"), []byte("CDOCS_POSTGRES_IMAGE=evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(repository)
	s := newServer(t, t.TempDir())
	first, err := s.startContainer(t.Context(), layout{folder: s.home}, ErrNotInstalled)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(s.home, "container")
	password, err := os.ReadFile(filepath.Join(folder, "password"))
	if err != nil || len(password) < 20 || !strings.Contains(first, ":"+string(password)+"@") {
		t.Errorf("the password is %q, %v; the URL %s", password, err, first)
	}
	if info, err := os.Stat(filepath.Join(folder, "password")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the password's file is %v, %v", info.Mode(), err)
	}
	surroundings, err := os.ReadFile(filepath.Join(bin, "surroundings"))
	if want := folder + "\nCDOCS_POSTGRES_PASSWORD=" + string(password) + "\n"; err != nil || string(surroundings) != want {
		t.Errorf("docker runs with %q, %v; want %q", surroundings, err, want)
	}
	asked, err := os.ReadFile(filepath.Join(bin, "asked"))
	if want := "compose --project-directory " + folder + " --env-file /dev/null --file - up"; err != nil || !strings.Contains(string(asked), want) {
		t.Errorf("docker was asked\n%s, %v; want %s", asked, err, want)
	}
	if again, err := s.startContainer(t.Context(), layout{folder: s.home}, ErrNotInstalled); again != first {
		t.Errorf("the second time the URL is %s, %v; want %s", again, err, first)
	}
}
