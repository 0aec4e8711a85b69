package testenv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// containedService is how a service runs in a container.
type containedService struct {
	image   serviceImage
	alias   string // its name on the network
	port    string // that it listens on in there
	command []string
	env     map[string]string
	volume  string // where it keeps what outlives a restart
	memory  bool   // the volume is in memory, and outlives nothing
	answers func(ctx context.Context, address string) error
}

// containedDatabase is a PostgreSQL in a container, and the URL of its database
// but for the address.
func containedDatabase(size Size) (containedService, url.URL) {
	location := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, rand.Text()),
		Path: "/postgres", RawQuery: "sslmode=disable",
	}
	password, _ := location.User.Password()
	// The official images' own places, so that they have no volume beside this one.
	volume, data := "/var/lib/postgresql/data", "/var/lib/postgresql/data"
	if major := postgresMajor(); atLeast(major, "18") {
		volume, data = "/var/lib/postgresql", "/var/lib/postgresql/"+major+"/docker"
	}
	command := []string{"postgres"}
	for _, setting := range fastSettings(size) {
		command = append(command, "-c", setting)
	}
	return containedService{
		image: databaseImage(), alias: "postgres", port: "5432/tcp", command: command,
		env:    map[string]string{"POSTGRES_PASSWORD": password, "PGDATA": data},
		volume: volume,
		answers: func(ctx context.Context, address string) error {
			at := location
			at.Host = address
			conn, err := pgx.Connect(ctx, at.String())
			if err != nil {
				return err //nolint:wrapcheck // waitUntilAnswers does
			}
			return conn.Close(ctx)
		},
	}, location
}

// containedOllama is an Ollama in a container, without models.
func containedOllama() containedService {
	return containedService{
		image: ollamaImage(), alias: "ollama", port: "11434/tcp",
		env:    map[string]string{"OLLAMA_KEEP_ALIVE": "-1", "OLLAMA_MODELS": "/var/lib/ollama/models"},
		volume: "/var/lib/ollama",
		answers: func(ctx context.Context, address string) error {
			client, err := newClient("http://" + address)
			if err != nil {
				return err
			}
			_, err = client.Version(ctx)
			return err //nolint:wrapcheck // waitUntilAnswers does
		},
	}
}

// runningContainer is a service that runs in a container.
type runningContainer struct {
	docker  *client.Client
	service containedService
	image   string // its name
	volume  string // its name
	id      string
	address netip.AddrPort // on the loopback interface, for as long as the container exists
}

// run starts a service and waits until it answers.
func (e *engine) run(ctx context.Context, service containedService, logf Logf) (*runningContainer, error) {
	image, err := service.image.ensure(ctx, e.docker, logf)
	if err != nil {
		return nil, err
	}
	var failures error
	for range startTries {
		free, err := freeAddress(ctx)
		if err != nil {
			return nil, err
		}
		address, err := netip.ParseAddrPort(free)
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		c := &runningContainer{
			docker: e.docker, service: service, image: image, address: address,
			volume: "cdocs-test-" + strings.ToLower(rand.Text()),
		}
		if err := e.make(ctx, func(ctx context.Context) error { return e.start(ctx, c) }); err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		return c, c.waitUntilAnswers(ctx)
	}
	return nil, failures
}

// start makes c's container and starts it.
func (e *engine) start(ctx context.Context, c *runningContainer) error {
	made, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
		ContainerRequest: testcontainers.ContainerRequest{
			Image:          c.image,
			Cmd:            c.service.command,
			Env:            c.service.env,
			Labels:         maps.Clone(e.labels),
			ExposedPorts:   []string{c.service.port},
			Networks:       []string{e.network},
			NetworkAliases: map[string][]string{e.network: {c.service.alias}},
			HostConfigModifier: func(host *container.HostConfig) {
				host.ShmSize = 1 << 30 // for index builds on several cores
				// A port that the engine chooses would be another one after a restart.
				host.PortBindings = network.PortMap{network.MustParsePort(c.service.port): {{
					HostIP: c.address.Addr(), HostPort: strconv.Itoa(int(c.address.Port())),
				}}}
				host.Mounts = []mount.Mount{c.mount(e.labels)}
			},
		},
		Started: true,
	})
	if err != nil {
		err = fmt.Errorf("start %s in a container of %s: %w", c.service.alias, c.image, err)
		return errors.Join(err, testcontainers.TerminateContainer(made))
	}
	c.id = made.GetContainerID()
	return nil
}

// mount is what the service keeps its files on.
func (c *runningContainer) mount(labels map[string]string) mount.Mount {
	if c.service.memory {
		return mount.Mount{Type: mount.TypeTmpfs, Target: c.service.volume}
	}
	return mount.Mount{
		Type: mount.TypeVolume, Source: c.volume, Target: c.service.volume,
		VolumeOptions: &mount.VolumeOptions{Labels: labels},
	}
}

// waitUntilAnswers waits until the service answers. It gives up when the container
// ends or has not become ready in a minute.
func (c *runningContainer) waitUntilAnswers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		err := c.service.answers(ctx, c.address.String())
		if err == nil {
			return nil
		}
		state, inspectErr := c.docker.ContainerInspect(ctx, c.id, client.ContainerInspectOptions{})
		if inspectErr == nil && !state.Container.State.Running {
			return fmt.Errorf("%s has ended: %w\n%s", c, err, c.lastLog())
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w\n%s", c, errors.Join(ctx.Err(), err), c.lastLog())
		}
	}
}

// remove removes the container with its volume.
func (c *runningContainer) remove(ctx context.Context) error {
	if _, err := c.docker.ContainerRemove(ctx, c.id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true}); err != nil {
		return fmt.Errorf("remove %s: %w", c, err)
	}
	if _, err := c.docker.VolumeRemove(ctx, c.volume, client.VolumeRemoveOptions{}); err != nil {
		return fmt.Errorf("remove the volume of %s: %w", c, err)
	}
	return nil
}

func (c *runningContainer) String() string { return c.service.alias + " in a container of " + c.image }

// lastLog returns the end of what the service has logged, or why it cannot.
func (c *runningContainer) lastLog() []byte {
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	logs, err := c.docker.ContainerLogs(ctx, c.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: "20"})
	if err != nil {
		return []byte(err.Error())
	}
	text, err := io.ReadAll(logs)
	if err = errors.Join(err, logs.Close()); err != nil {
		return []byte(err.Error())
	}
	return lastLines(text)
}

// startDatabaseContainer starts a PostgreSQL in a container of its own.
func startDatabaseContainer(ctx context.Context, size Size, logf Logf) (*Database, error) {
	e, err := openEngine(ctx, logf)
	if err != nil {
		return nil, err
	}
	service, location := containedDatabase(size)
	service.memory = size.inMemory()
	c, err := e.run(ctx, service, logf)
	if err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	location.Host = c.address.String()
	return &Database{URL: location.String(), Route: "container of " + c.image, stop: e.Stop}, nil
}

// startOllamaContainer starts an Ollama in a container of its own, with stand-ins
// for the models.
func startOllamaContainer(ctx context.Context, logf Logf) (*Ollama, error) {
	e, err := openEngine(ctx, logf)
	if err != nil {
		return nil, err
	}
	c, err := e.run(ctx, containedOllama(), logf)
	if err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	server := &Ollama{Host: "http://" + c.address.String(), Route: "container of " + c.image, Models: TinyModels, stop: e.Stop}
	files, err := renderStandIns()
	if err == nil {
		err = server.load(ctx, files)
	}
	if err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	return server, nil
}
