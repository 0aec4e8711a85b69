package testenv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/test/tinymodel"
)

// startTries is how often to try another port: one that is free may be taken
// before a service gets to it.
const startTries = 3

// startOllama starts an Ollama of our own, with stand-ins for the models.
func startOllama(ctx context.Context, logf Logf) (*Ollama, error) {
	binary, err := ollamaBinary(ctx, logf)
	if err != nil {
		return nil, err
	}
	server, err := runOllama(ctx, binary, logf)
	for try := 1; err != nil && try < startTries; try++ {
		server, err = runOllama(ctx, binary, logf)
	}
	if err != nil {
		return nil, err
	}
	if err := server.loadStandIns(ctx); err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
}

// runOllama starts a server without models on a free port of the loopback interface
// and waits until it answers.
func runOllama(ctx context.Context, binary string, logf Logf) (*Ollama, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	home, err := newScratch(os.TempDir(), "cdocs-ollama-", logf)
	if err != nil {
		return nil, err
	}
	serve := exec.Command(binary, "serve") //nolint:noctx // the program we have built; outlives ctx
	serve.Dir = home.path
	serve.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home.path,
		"OLLAMA_HOST=" + address,
		"OLLAMA_KEEP_ALIVE=-1",
	}
	serve.SysProcAttr = childAttributes(nil, syscall.SIGTERM) // upon which it ends its runners
	process, err := startProcess(serve)
	if err != nil {
		return nil, errors.Join(err, home.remove())
	}
	server := &Ollama{
		Host:   "http://" + address,
		Route:  "private, built from its Go module",
		Models: TinyModels,
		stop:   func() error { return errors.Join(process.stop(syscall.SIGTERM), home.remove()) },
	}
	err = process.waitUntil(ctx, func(ctx context.Context) error {
		client, err := newClient(server.Host)
		if err != nil {
			return err
		}
		_, err = client.Version(ctx)
		return err //nolint:wrapcheck // waitUntil does
	})
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
}

// freeAddress returns a port of the loopback interface that nobody listens on.
func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// render returns the bytes that write writes to a file.
func render(write func(*os.File) error) (content []byte, err error) {
	file, err := os.CreateTemp("", "cdocs-model-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if err := write(file); err != nil {
		return nil, err
	}
	return os.ReadFile(file.Name())
}

// loadStandIns creates stand-ins for both models on a server that has none.
func (o *Ollama) loadStandIns(ctx context.Context) error {
	client, err := newClient(o.Host)
	if err != nil {
		return err
	}
	o.Version, err = client.Version(ctx)
	if err != nil {
		return fmt.Errorf("read Ollama's version: %w", err)
	}
	if err := loadModel(ctx, client, embedModel, "", tinymodel.WriteEmbedder); err != nil {
		return err
	}
	return loadModel(ctx, client, chatModel, tinymodel.ChatTemplate, tinymodel.WriteChat)
}

// loadModel creates a model. It is kept to one thread: the stand-ins need no more, and
// threads that wait for each other by spinning make minutes of seconds on a machine whose
// processors are taken by other tests.
func loadModel(ctx context.Context, client *api.Client, name, template string, write func(*os.File) error) error {
	file, err := render(write)
	if err != nil {
		return fmt.Errorf("write model %s: %w", name, err)
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file))
	if err := client.CreateBlob(ctx, digest, bytes.NewReader(file)); err != nil {
		return fmt.Errorf("upload model %s: %w", name, err)
	}
	request := &api.CreateRequest{
		Model: name, Template: template, Parameters: map[string]any{"num_thread": 1},
		Files: map[string]string{"model.gguf": digest},
	}
	if err := client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
		return fmt.Errorf("create model %s: %w", name, err)
	}
	return nil
}

// AddModel adds a model to the server of [OllamaHost] until the test ends. Its name is new and ends
// with the given one.
func AddModel(t testing.TB, name string, write func(*os.File) error) string {
	t.Helper()
	client, err := newClient(OllamaHost(t))
	if err != nil {
		t.Fatal("testenv:", err)
	}
	name = fmt.Sprintf("test-%d/%s", time.Now().UnixNano(), name)
	if err := loadModel(t.Context(), client, name, "", write); err != nil {
		t.Fatal("testenv:", err)
	}
	t.Cleanup(func() {
		if err := client.Delete(context.WithoutCancel(t.Context()), &api.DeleteRequest{Model: name}); err != nil {
			t.Error("testenv:", err)
		}
	})
	return name
}
