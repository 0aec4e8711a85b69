// Package compose_test checks the Compose files of deploy/. It reads them and starts nothing.
package compose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

const (
	root   = "../.."
	folder = root + "/deploy"
)

// composeFile has the fields of compose.yaml that these tests check.
type composeFile struct {
	Services map[string]struct {
		Image       string         `yaml:"image"`
		Profiles    []string       `yaml:"profiles"`
		Ports       []string       `yaml:"ports"`
		Volumes     []string       `yaml:"volumes"`
		HealthCheck map[string]any `yaml:"healthcheck"`
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
}

func readCompose(t *testing.T) (file composeFile) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Load(content, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// defaults replaces variables by their defaults, as ${NAME:-default} has them.
func defaults(value string) string {
	return regexp.MustCompile(`\$\{[A-Z_]+:-([^{}]*)\}`).ReplaceAllString(value, "$1")
}

// A tag such as pg17 or latest is another image next month.
var fixedImage = regexp.MustCompile(`^[a-z]+/[a-z]+:\d+\.\d+\.\d+(-[a-z0-9]+)?$`)

// Nobody else reaches a service, none loses its data, each is known to be ready, and has a fixed version.
func TestCompose_Services(t *testing.T) {
	t.Parallel()
	file := readCompose(t)
	profiles := map[string][]string{}
	for name, service := range file.Services {
		profiles[name] = service.Profiles
		if image := defaults(service.Image); !fixedImage.MatchString(image) {
			t.Errorf("%s has the image %s; name a version", name, image)
		}
		if len(service.Ports) != 1 || !strings.HasPrefix(service.Ports[0], "127.0.0.1:") {
			t.Errorf("%s has ports %v, want one on the loopback interface", name, service.Ports)
		}
		if len(service.Volumes) != 1 {
			t.Errorf("%s has volumes %v, want one", name, service.Volumes)
			continue
		}
		volume, _, _ := strings.Cut(service.Volumes[0], ":")
		if _, named := file.Volumes[volume]; !named {
			t.Errorf("%s keeps its data in %s, which is no named volume", name, volume)
		}
		if len(service.HealthCheck) == 0 {
			t.Errorf("%s has no health check", name)
		}
	}
	want := map[string][]string{"postgres": nil, "ollama": {"cpu"}, "ollama-nvidia": {"nvidia"}, "ollama-amd": {"amd"}}
	if diff := cmp.Diff(want, profiles); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
}

// composeCommand returns the command that Docker Compose is run with, or skips.
func composeCommand(t *testing.T) []string {
	t.Helper()
	for _, command := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.CommandContext(t.Context(), command[0], append(command[1:], "version")...).Run() == nil {
			return command
		}
	}
	t.Skip("Docker Compose is not installed")
	return nil
}

func TestCompose_IsValid(t *testing.T) {
	t.Parallel()
	compose := composeCommand(t)
	shared := []string{"-f", "compose.shared.yaml"}
	tests := []struct {
		name      string
		arguments []string
		password  string
		want      string // in what is printed
		fails     bool
	}{
		{name: "loopback", want: "POSTGRES_PASSWORD: cdocs"},
		{name: "loopback and a password", password: "s3cret", want: "POSTGRES_PASSWORD: s3cret"},
		{name: "shared", arguments: shared, want: "has no default where other machines can reach the database", fails: true},
		{name: "shared and a password", arguments: shared, password: "s3cret", want: "POSTGRES_PASSWORD: s3cret"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			arguments := slices.Concat(compose[1:], []string{"-f", "compose.yaml"}, test.arguments,
				[]string{"--profile", "cpu", "--profile", "nvidia", "--profile", "amd", "config"})
			config := exec.CommandContext(t.Context(), compose[0], arguments...)
			config.Dir = folder
			config.Env = append(os.Environ(), "CDOCS_POSTGRES_PASSWORD="+test.password)
			out, err := config.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(out), test.want) {
				t.Errorf("docker compose config: %v; want %q in\n%s", err, test.want, out)
			}
			// As the canonical form writes "127.0.0.1:5433".
			if loopback := strings.Contains(string(out), "host_ip: 127.0.0.1\n        target: 5432"); !test.fails && loopback != (test.arguments == nil) {
				t.Errorf("PostgreSQL on the loopback interface: %v in\n%s", loopback, out)
			}
		})
	}
}
