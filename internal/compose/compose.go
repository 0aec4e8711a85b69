// Package compose runs services of the project's Compose file with the machine's
// Docker, for a machine that lacks a service's own packages. It knows Docker's command
// line, and must not know what the services are used for.
package compose

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/deploy"
)

// Services of the Compose file.
const (
	Postgres = "postgres"
	Ollama   = "ollama"
)

// DatabaseURL is the URL of the database in the container.
func DatabaseURL() string {
	password := os.Getenv("CDOCS_POSTGRES_PASSWORD")
	if password == "" {
		password = "cdocs"
	}
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword("compound_docs", password),
		Host: "127.0.0.1:5433", Path: "/compound_docs",
	}
	return u.String()
}

// answerTimeout is for a Docker engine that hangs.
const answerTimeout = 5 * time.Second

// Available reports whether Docker with Compose is installed, and its engine answers.
func Available(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	_, err := docker(ctx, nil, "compose", "version")
	if err == nil {
		_, err = docker(ctx, nil, "version", "--format", "{{.Server.Version}}")
	}
	return err == nil
}

// Up starts a service, pulls its image first if need be, and waits until it is healthy.
// environment is for the variables of the Compose file.
func Up(ctx context.Context, service string, environment ...string) error {
	_, err := docker(ctx, environment, "compose", "--file", "-", "up", "--detach", "--wait", service)
	return err
}

// Stop stops a service, whose data stays, and reports whether it ran.
func Stop(ctx context.Context, service string) (ran bool, err error) {
	if !Runs(ctx, service) {
		return false, nil
	}
	_, err = docker(ctx, nil, "compose", "--file", "-", "stop", service)
	return true, err
}

// Runs reports whether a service runs.
func Runs(ctx context.Context, service string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	text, err := docker(ctx, nil, "compose", "--file", "-", "ps", "--status=running", "--quiet", service)
	return err == nil && text != ""
}

// docker runs a command of Docker's, which reads the Compose file from its stdin, and
// returns what it prints.
func docker(ctx context.Context, environment []string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "docker", arguments...) //nolint:gosec // of constants
	command.Env = append(os.Environ(), environment...)
	command.Stdin = strings.NewReader(deploy.Compose)
	text, err := command.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("docker %s: %w", strings.Join(arguments, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
