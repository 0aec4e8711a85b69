package testenv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"github.com/compound-docs/compound-docs/test/tail"
)

// containedService is how a service runs in a container.
type containedService struct {
	name, port string
	image      serviceImage
	options    []testcontainers.ContainerCustomizer
	ready      wait.Strategy
}

// containedDatabase is a PostgreSQL in a container, and the URL of its database without the
// address. Data in memory does not outlive a restart.
func containedDatabase(size Size, inMemory bool) (containedService, url.URL) {
	password := rand.Text()
	command := []string{"postgres"}
	for _, setting := range fastSettings(size) {
		command = append(command, "-c", setting)
	}
	const superuser = "postgres"
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithCmd(command...),
		testcontainers.WithEnv(map[string]string{"POSTGRES_PASSWORD": password}),
	}
	if inMemory {
		const data = "/memory"
		options = append(options, testcontainers.WithEnv(map[string]string{"PGDATA": data}),
			testcontainers.WithTmpfs(map[string]string{data: ""}))
	}
	service := containedService{
		name: "postgres", port: "5432/tcp", image: databaseImage(), options: options,
		// Over TCP: while the image sets the cluster up, its socket answers already.
		ready: wait.ForExec([]string{"pg_isready", "--host=127.0.0.1", "--username=" + superuser}).WithStartupTimeout(answerTimeout),
	}
	return service, url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, password), Path: "/postgres", RawQuery: "sslmode=disable",
	}
}

// containedOllama is an Ollama in a container, without models.
func containedOllama() containedService {
	return containedService{
		name: "ollama", port: "11434/tcp", image: ollamaImage(),
		options: []testcontainers.ContainerCustomizer{testcontainers.WithEnv(map[string]string{"OLLAMA_KEEP_ALIVE": "-1"})},
		// From inside: testcontainers looks for ports at another address where it runs in
		// a container itself.
		ready: wait.ForExec([]string{"ollama", "list"}).WithStartupTimeout(answerTimeout),
	}
}

// run starts a service and waits until it answers. A stopped service keeps its data and its
// address.
func (e *engine) run(ctx context.Context, service containedService, logf Logf) (_ *Container, failed error) {
	image, err := service.image.ensure(ctx, e.docker, logf)
	if err != nil {
		return nil, err
	}
	for range startTries {
		free, err := freeAddress(ctx)
		if err != nil {
			return nil, err
		}
		c := &Container{name: service.name + " in a container of " + image, image: image, address: free}
		c.running, err = testcontainers.Run(ctx, image, append(service.options,
			testcontainers.WithLabels(e.labels), testcontainers.WithExposedPorts(service.port),
			testcontainers.WithHostConfigModifier(func(host *container.HostConfig) {
				host.ShmSize = 1 << 30 // for index builds on several cores
				// A port that the engine chooses would be another one after a restart.
				address := netip.MustParseAddrPort(free)
				host.PortBindings = network.PortMap{network.MustParsePort(service.port): {{
					HostIP: address.Addr(), HostPort: strconv.Itoa(int(address.Port())),
				}}}
			}),
			testcontainers.WithWaitStrategyAndDeadline(answerTimeout, service.ready))...)
		if err != nil {
			failed = errors.Join(fmt.Errorf("start %s: %w\n%s", c.name, err, c.lastLog()), testcontainers.TerminateContainer(c.running))
			continue
		}
		return c, nil
	}
	return nil, failed
}

// Container is a service in a container.
type Container struct {
	running *testcontainers.DockerContainer

	name, image string
	address     string // on the loopback interface
}

// lastLog returns the end of what the service has logged, or why it cannot.
func (c *Container) lastLog() string {
	if c.running == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	logs, err := c.running.Logs(ctx)
	if err != nil {
		return err.Error()
	}
	defer logs.Close() //nolint:errcheck // read only
	var end tail.Buffer
	if _, err := io.Copy(&end, logs); err != nil {
		return err.Error()
	}
	return end.String()
}

// startDatabaseContainer starts a PostgreSQL in a new container.
func startDatabaseContainer(ctx context.Context, size Size, logf Logf) (*Database, error) {
	service, location := containedDatabase(size, size.inMemory())
	c, stop, err := startAlone(ctx, service, logf)
	if err != nil {
		return nil, err
	}
	location.Host = c.address
	return &Database{URL: location.String(), Route: "container of " + c.image, stop: stop}, nil
}

// startOllamaContainer starts an Ollama in a new container, with stand-ins for the models.
func startOllamaContainer(ctx context.Context, logf Logf) (*Ollama, error) {
	c, stop, err := startAlone(ctx, containedOllama(), logf)
	if err != nil {
		return nil, err
	}
	server := &Ollama{Host: "http://" + c.address, Route: "container of " + c.image, Models: TinyModels, stop: stop}
	if err := server.loadStandIns(ctx); err != nil {
		return nil, errors.Join(err, stop())
	}
	return server, nil
}

// startAlone starts a service over a new connection to the engine.
func startAlone(ctx context.Context, service containedService, logf Logf) (c *Container, stop func() error, err error) {
	e, err := openEngine(ctx, logf)
	if err != nil {
		return nil, nil, err
	}
	c, err = e.run(ctx, service, logf)
	if err != nil {
		return nil, nil, errors.Join(err, e.Stop())
	}
	return c, e.Stop, nil
}
