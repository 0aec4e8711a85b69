package testenv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/network"
)

// Labels of every container, network and volume that this package makes.
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
	engineTimeout = 30 * time.Second // of a single request to it
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

// engine is a Docker engine with a network for the containers of this process, and
// removes what it was told to make.
type engine struct {
	docker  *client.Client
	owner   *scratch
	labels  map[string]string
	network string

	mu      sync.Mutex // held while something is made
	stopped bool
}

// openEngine connects to the engine, removes what processes have left behind that
// have ended, and makes a network.
func openEngine(ctx context.Context, logf Logf) (_ *engine, err error) {
	docker, err := dialEngine(ctx)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	owner, err := newScratch(ctx, os.TempDir(), "cdocs-containers-", logf)
	if err != nil {
		return nil, err
	}
	e := &engine{docker: docker, owner: owner, labels: map[string]string{ownerLabel: owner.path, hostLabel: host}}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Stop())
		}
	}()
	if err := sweep(ctx, docker, host); err != nil {
		return nil, fmt.Errorf("remove what was left behind in Docker: %w", err)
	}
	return e, e.make(ctx, func(ctx context.Context) error {
		made, err := network.New(ctx, network.WithLabels(e.labels))
		if err != nil {
			return fmt.Errorf("make a network in Docker: %w", err)
		}
		e.network = made.Name
		return nil
	})
}

// make makes something with the labels of e. It is not interrupted, since the
// engine would go on making it.
func (e *engine) make(ctx context.Context, something func(context.Context) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err //nolint:wrapcheck // says all there is
	}
	if e.stopped {
		return errors.New("the containers of this process have been removed")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineTimeout)
	defer cancel()
	return something(ctx)
}

// Stop removes all that this process has made, and keeps it from making more. It
// may be called once.
func (e *engine) Stop() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(removeLabelled(ctx, e.docker, e.owner.path), e.owner.remove(), e.docker.Close())
}

// sweep removes what was made by processes of this machine that have ended.
func sweep(ctx context.Context, docker *client.Client, host string) error {
	left, err := listLabelled(ctx, docker, hostLabel+"="+host)
	if err != nil {
		return err
	}
	owners := map[string]bool{}
	for _, thing := range left {
		owners[thing.owner] = true
	}
	var failures error
	for owner := range owners {
		if !hasEnded(owner) {
			continue
		}
		failures = errors.Join(failures, removeLabelled(ctx, docker, owner))
	}
	return failures
}

// hasEnded tells whether the process is gone that held the lock of a folder.
func hasEnded(owner string) bool {
	path := filepath.Join(owner, ownerLock)
	if _, err := os.Stat(path); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	lock, err := tryLockFile(path)
	if err != nil {
		return false // alive, or another user's
	}
	return lock.unlock() == nil
}

// labelled is a container, network or volume with the labels of this package.
type labelled struct {
	kind, id, owner string
	remove          func(context.Context) error
}

// listLabelled lists all with a label, in the order in which they can be removed.
func listLabelled(ctx context.Context, docker *client.Client, label string) ([]labelled, error) {
	filter := client.Filters{}.Add("label", label)
	containers, err := docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	networks, err := docker.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	volumes, err := docker.VolumeList(ctx, client.VolumeListOptions{Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("list volumes: %w", err)
	}
	var all []labelled
	for _, found := range containers.Items {
		all = append(all, labelled{"container", found.ID, found.Labels[ownerLabel], func(ctx context.Context) error {
			_, err := docker.ContainerRemove(ctx, found.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			return err //nolint:wrapcheck // removeLabelled does
		}})
	}
	for _, found := range networks.Items {
		all = append(all, labelled{"network", found.ID, found.Labels[ownerLabel], func(ctx context.Context) error {
			_, err := docker.NetworkRemove(ctx, found.ID, client.NetworkRemoveOptions{})
			return err //nolint:wrapcheck // removeLabelled does
		}})
	}
	for _, found := range volumes.Items {
		all = append(all, labelled{"volume", found.Name, found.Labels[ownerLabel], func(ctx context.Context) error {
			_, err := docker.VolumeRemove(ctx, found.Name, client.VolumeRemoveOptions{Force: true})
			return err //nolint:wrapcheck // removeLabelled does
		}})
	}
	return all, nil
}

// removeLabelled removes all of an owner's.
func removeLabelled(ctx context.Context, docker *client.Client, owner string) error {
	all, err := listLabelled(ctx, docker, ownerLabel+"="+owner)
	for _, thing := range all {
		// Two processes may sweep at the same time.
		if failure := thing.remove(ctx); failure != nil && !errdefs.IsNotFound(failure) && !errdefs.IsConflict(failure) {
			err = errors.Join(err, fmt.Errorf("remove the %s %s: %w", thing.kind, thing.id, failure))
		}
	}
	return err
}
