package testenv

import (
	"context"
	"testing"

	"github.com/moby/moby/client"
)

// Containers are a PostgreSQL and an Ollama of one test, each in a container, on
// one network. The Ollama has stand-ins for the models.
type Containers struct {
	Database, Ollama        *Container
	DatabaseURL, OllamaHost string
}

// StartContainers starts the two, and removes them when the test ends. The test is
// skipped where ChooseRoute leads to native processes.
func StartContainers(t testing.TB) *Containers {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	route, err := ChooseRoute(ctx, t.Logf)
	if err != nil {
		t.Fatal("testenv:", err)
	}
	if route != ContainersRoute {
		t.Skip("testenv: services are native processes: make test-containers runs this in containers")
	}
	e := sharedService(t, &services.engine, openEngine)
	service, location := containedDatabase(Small)
	database := startContainer(ctx, t, e, service)
	location.Host = database.running.address.String()
	ollama := startContainer(ctx, t, e, containedOllama())
	server := &Ollama{Host: "http://" + ollama.running.address.String()}
	files, err := renderStandIns()
	if err == nil {
		err = server.load(ctx, files)
	}
	if err != nil {
		t.Fatal("testenv:", err)
	}
	return &Containers{Database: database, Ollama: ollama, DatabaseURL: location.String(), OllamaHost: server.Host}
}

// Container is a service of one test in a container: data and address stay,
// whatever the test does to it. Its methods are called by one goroutine at a time.
type Container struct {
	t       testing.TB
	running *runningContainer
}

func startContainer(ctx context.Context, t testing.TB, e *engine, service containedService) *Container {
	t.Helper()
	running, err := e.run(ctx, service, t.Logf)
	if err != nil {
		t.Fatal("testenv:", err)
	}
	c := &Container{t: t, running: running}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), engineTimeout)
		defer cancel()
		if t.Failed() {
			t.Logf("%s has logged:\n%s", running, running.lastLog())
		}
		c.must(running.remove(ctx))
	})
	return c
}

// ID is the engine's name for the container.
func (c *Container) ID() string { return c.running.id }

// Stop ends the service as an administrator does.
func (c *Container) Stop() {
	c.t.Helper()
	_, err := c.running.docker.ContainerStop(c.t.Context(), c.running.id, client.ContainerStopOptions{})
	c.must(err)
}

// Start starts the service again, and returns when it answers.
func (c *Container) Start() {
	c.t.Helper()
	_, err := c.running.docker.ContainerStart(c.t.Context(), c.running.id, client.ContainerStartOptions{})
	c.must(err)
	c.must(c.running.waitUntilAnswers(c.t.Context()))
}

// Pause freezes the service. Connections to it stand and new ones are taken, but
// nothing comes back, as if the network had stalled.
func (c *Container) Pause() {
	c.t.Helper()
	// On a busy machine with version 1 of control groups, runc now and then gives up
	// before every thread has come to rest.
	const tries = 20
	var err error
	for range tries {
		if _, err = c.running.docker.ContainerPause(c.t.Context(), c.running.id, client.ContainerPauseOptions{}); err == nil {
			return
		}
	}
	c.must(err)
}

// Unpause lets the service go on.
func (c *Container) Unpause() {
	c.t.Helper()
	_, err := c.running.docker.ContainerUnpause(c.t.Context(), c.running.id, client.ContainerUnpauseOptions{})
	c.must(err)
}

func (c *Container) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("testenv: %s: %v", c.running, err)
	}
}
