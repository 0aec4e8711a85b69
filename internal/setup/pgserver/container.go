package pgserver

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

// container is the database of the project's Compose file, for a machine with Docker and without
// PostgreSQL. A hostile repository may be the working directory. So the container depends on the
// user's environment and folder alone: a .env file or COMPOSE_FILE could choose another image.
type container struct {
	folder string // private to the user
}

// errContainer is the reason for a container that the user names.
var errContainer = &Error{
	Err: errors.New("settings.json or CDOCS_POSTGRES names a container"), Hint: "start Docker, or take that setting away",
}

// usesContainer reports whether a container is named, or replaces a missing cluster.
func (s *Server) usesContainer(ctx context.Context, l layout) bool {
	return s.Programs == Container || len(l.clusters()) == 0 && s.container().available(ctx)
}

// startContainer starts the container on a machine with Docker and without a cluster. Otherwise it
// returns the reason why there is no cluster.
func (s *Server) startContainer(ctx context.Context, l layout, reason error) (string, error) {
	if !s.usesContainer(ctx, l) {
		return "", reason
	}
	s.logger.InfoContext(ctx, "starting PostgreSQL in a container", "reason", reason)
	err := s.container().up(ctx)
	if problem, ok := errors.AsType[*Error](reason); ok && err != nil {
		return "", &Error{Err: fmt.Errorf("%w, and its container does not start: %w", problem.Err, err), Hint: problem.Hint}
	}
	if err != nil {
		return "", err
	}
	return s.container().url()
}

func (s *Server) container() container { return container{folder: filepath.Join(s.home, "container")} }

// service is the database's name in the Compose file.
const service = "postgres"

// dockerAnswers bounds the wait for a Docker engine that hangs.
const dockerAnswers = 5 * time.Second

// available reports whether Docker's engine answers and Compose is installed.
func (c container) available(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, dockerAnswers)
	defer cancel()
	_, err := docker(ctx, "", nil, "compose", "ls", "--quiet")
	return err == nil
}

func (c container) runs(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, dockerAnswers)
	defer cancel()
	text, err := c.compose(ctx, nil, "ps", "--status=running", "--quiet", service)
	return err == nil && text != ""
}

// up starts the database and waits until it is healthy. Docker pulls a missing image first.
func (c container) up(ctx context.Context) error {
	password, err := c.password()
	if err != nil {
		return err
	}
	_, err = c.compose(ctx, []string{"CDOCS_POSTGRES_PASSWORD=" + password}, "up", "--detach", "--wait", service)
	return err
}

// stop stops the database and reports whether it ran. The data stays.
func (c container) stop(ctx context.Context) (bool, error) {
	if !c.runs(ctx) {
		return false, nil
	}
	_, err := c.compose(ctx, nil, "stop", service)
	return true, err
}

func (c container) url() (string, error) {
	password, err := c.password()
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword("compound_docs", password),
		Host: "127.0.0.1:5433", Path: "/compound_docs",
	}
	return u.String(), err
}

// password returns CDOCS_POSTGRES_PASSWORD, or else a random password that is kept in the folder.
func (c container) password() (string, error) {
	if password := os.Getenv("CDOCS_POSTGRES_PASSWORD"); password != "" {
		return password, nil
	}
	file := filepath.Join(c.folder, "password")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(rand.Text())
		err = errors.Join(os.MkdirAll(c.folder, 0o700), os.WriteFile(file, text, 0o600))
	}
	if err != nil {
		return "", fmt.Errorf("keep the password of the container: %w", err)
	}
	return string(text), nil
}

func (c container) compose(ctx context.Context, environment []string, arguments ...string) (string, error) {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return "", fmt.Errorf("docker compose: %w", err)
	}
	all := []string{"compose", "--project-directory", c.folder, "--env-file", os.DevNull, "--file", "-"}
	return docker(ctx, c.folder, environment, append(all, arguments...)...)
}

// docker runs a command of Docker in a folder. Its input is the Compose file.
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
