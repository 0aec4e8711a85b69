// Package compose runs the database of the project's Compose file with the machine's
// Docker, for a machine without PostgreSQL's own packages. It knows Docker's command
// line, and must not know what the database is used for.
package compose

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/deploy"
)

// service is the database's name in the Compose file.
const service = "postgres"

// Project runs the database. What it runs depends on the user's environment and on nothing in
// the working directory, which may be a hostile repository: a .env there, or a COMPOSE_FILE
// that names a file there, could choose the image.
type Project struct {
	// Folder is private to the user. It is made if it is missing.
	Folder string
}

// DatabaseURL returns the URL of the database in the container. Its password is that of
// CDOCS_POSTGRES_PASSWORD, else a random one, which is kept in the folder.
func (p Project) DatabaseURL() (string, error) {
	password, err := p.password()
	if err != nil {
		return "", err
	}
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword("compound_docs", password),
		Host: "127.0.0.1:5433", Path: "/compound_docs",
	}
	return u.String(), nil
}

func (p Project) password() (string, error) {
	if password := os.Getenv("CDOCS_POSTGRES_PASSWORD"); password != "" {
		return password, nil
	}
	if err := os.MkdirAll(p.Folder, 0o700); err != nil {
		return "", fmt.Errorf("keep the password of the container: %w", err)
	}
	file := filepath.Join(p.Folder, "password")
	made, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = made.WriteString(rand.Text())
		err = errors.Join(err, made.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("keep the password of the container: %w", err)
	}
	text, err := os.ReadFile(file)
	if err != nil || len(text) == 0 {
		return "", fmt.Errorf("read the password of the container: %w", errors.Join(err, fmt.Errorf("see %s", file)))
	}
	return string(text), nil
}

// answerTimeout is for a Docker engine that hangs.
const answerTimeout = 5 * time.Second

// Available reports whether Docker with Compose is installed, and its engine answers.
func Available(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	_, err := docker(ctx, "", nil, "compose", "version")
	if err == nil {
		_, err = docker(ctx, "", nil, "version", "--format", "{{.Server.Version}}")
	}
	return err == nil
}

// Up starts the database, pulls its image first if need be, and waits until it is healthy.
func (p Project) Up(ctx context.Context) error {
	password, err := p.password()
	if err != nil {
		return err
	}
	_, err = p.compose(ctx, []string{"CDOCS_POSTGRES_PASSWORD=" + password}, "up", "--detach", "--wait", service)
	return err
}

// Stop stops the database, whose data stays, and reports whether it ran.
func (p Project) Stop(ctx context.Context) (ran bool, err error) {
	if !p.Runs(ctx) {
		return false, nil
	}
	_, err = p.compose(ctx, nil, "stop", service)
	return true, err
}

// Runs reports whether the database runs.
func (p Project) Runs(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	text, err := p.compose(ctx, nil, "ps", "--status=running", "--quiet", service)
	return err == nil && text != ""
}

// compose runs a command of Compose in the folder, without a file of environment.
func (p Project) compose(ctx context.Context, environment []string, arguments ...string) (string, error) {
	folder, err := filepath.Abs(p.Folder)
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("docker compose: %w", err)
	}
	all := []string{"compose", "--project-directory", folder, "--env-file", os.DevNull, "--file", "-"}
	return docker(ctx, folder, environment, append(all, arguments...)...)
}

// docker runs a command of Docker's in a folder. It reads the Compose file from its stdin.
func docker(ctx context.Context, folder string, environment []string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "docker", arguments...) //nolint:gosec // of constants and the user's folder
	command.Dir = folder
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "COMPOSE_") {
			command.Env = append(command.Env, entry)
		}
	}
	command.Env = append(command.Env, environment...)
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
