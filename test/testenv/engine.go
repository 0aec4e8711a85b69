package testenv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

// Labels of every container that this package makes.
const (
	// ownerLabel holds the folder whose lock the process that made it keeps for as
	// long as it lives. testcontainers' own reaper, which comes as an image, is not
	// used.
	ownerLabel = "compound-docs.testenv.owner"
	// hostLabel holds the machine of that folder: an engine may serve several.
	hostLabel = "compound-docs.testenv.host"
)

const (
	dialTimeout   = 3 * time.Second  // of an engine that is there
	engineTimeout = 30 * time.Second // of a request for a log
)

// dialEngine returns a client of this machine's Docker engine.
func dialEngine(ctx context.Context) (*client.Client, error) {
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return nil, err
	}
	log.SetDefault(log.NewNoopLogger())
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, fmt.Errorf("no Docker engine answers: %w", err)
	}
	if _, err := docker.Ping(ctx, client.PingOptions{}); err != nil {
		return nil, fmt.Errorf("no Docker engine answers: %w", err)
	}
	at, err := url.Parse(docker.DaemonHost())
	if err != nil || at.Scheme != "unix" && at.Hostname() != "localhost" && at.Hostname() != "127.0.0.1" {
		return nil, fmt.Errorf("the Docker engine at %s is another machine's: its containers are not on this one's loopback interface",
			docker.DaemonHost())
	}
	return docker.Client, nil
}

// engine is a Docker engine, and removes the containers that it was told to make.
type engine struct {
	docker *client.Client
	owner  *scratch
	labels map[string]string
}

// openEngine connects to the engine, and removes what processes have left behind
// that have ended.
func openEngine(ctx context.Context, logf Logf) (*engine, error) {
	docker, err := dialEngine(ctx)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	if err := removeContainers(ctx, docker, hostLabel+"="+host, hasEnded); err != nil {
		return nil, fmt.Errorf("remove what was left behind in Docker: %w", err)
	}
	owner, err := newScratch(os.TempDir(), "cdocs-containers-", logf)
	if err != nil {
		return nil, err
	}
	return &engine{docker: docker, owner: owner, labels: map[string]string{ownerLabel: owner.path, hostLabel: host}}, nil
}

// Stop removes all that this process has made. What is just being made then is left
// to the next process. It may be called once.
func (e *engine) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	all := func(string) bool { return true }
	return errors.Join(removeContainers(ctx, e.docker, ownerLabel+"="+e.owner.path, all), e.owner.remove(), e.docker.Close())
}

// hasEnded tells whether the process is gone that held the lock of a folder.
func hasEnded(owner string) bool {
	path := filepath.Join(owner, ownerLock)
	if _, err := os.Stat(path); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	lock := tryLockFile(path)
	return lock != nil && lock.Unlock() == nil // else it is alive, or another user's
}

// removeContainers removes those with a label whose owner is to go, with their
// volumes.
func removeContainers(ctx context.Context, docker *client.Client, label string, goes func(owner string) bool) error {
	found, err := docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", label)})
	if err != nil {
		return fmt.Errorf("list containers: %w", err)
	}
	var failures error
	for _, container := range found.Items {
		if !goes(container.Labels[ownerLabel]) {
			continue
		}
		_, err := docker.ContainerRemove(ctx, container.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		// Two processes may do so at the same time.
		if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
			failures = errors.Join(failures, fmt.Errorf("remove the container %s: %w", container.ID, err))
		}
	}
	return failures
}
