package testenv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/test/tinymodel"
)

// startTries is how often to try another port: one that is free may be taken
// before a service gets to it.
const startTries = 3

// startOllama starts an Ollama of our own, with stand-ins for the models.
func startOllama(ctx context.Context, logf Logf) (_ *Ollama, err error) {
	binary, err := ollamaBinary(ctx, logf)
	if err != nil {
		return nil, err
	}
	files, err := renderStandIns()
	if err != nil {
		return nil, err
	}
	// Ollama keeps these models here, and other servers may use it at the same time.
	folder, err := cacheFolder("models-" + files.key)
	if err != nil {
		return nil, err
	}
	var server *Ollama
	for range startTries {
		if server, err = runOllama(ctx, binary, folder, logf); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(ctx, filepath.Join(folder, "create.lock"))
	if err == nil {
		err = errors.Join(server.load(ctx, files), lock.Unlock())
	}
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
}

// runOllama starts a server on a free port of the loopback interface and waits
// until it answers.
func runOllama(ctx context.Context, binary, models string, logf Logf) (*Ollama, error) {
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
		"OLLAMA_MODELS=" + models,
		"OLLAMA_NOPRUNE=1", // what looks unused may be another server's
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
		if err == nil {
			_, err = client.Version(ctx)
		}
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

// standIns are the model files, and a name for the two of them together.
type standIns struct {
	embedder, chat []byte
	key            string
}

// renderStandIns writes the stand-ins for both models.
func renderStandIns() (s standIns, err error) {
	if s.embedder, err = render(tinymodel.WriteEmbedder); err != nil {
		return standIns{}, fmt.Errorf("write a stand-in for %s: %w", embedModel, err)
	}
	if s.chat, err = render(tinymodel.WriteChat); err != nil {
		return standIns{}, fmt.Errorf("write a stand-in for %s: %w", chatModel, err)
	}
	const keyBytes = 8
	digest := sha256.Sum256(fmt.Append(nil, blobDigest(s.embedder), blobDigest(s.chat), tinymodel.ChatTemplate, standInParameters()))
	s.key = hex.EncodeToString(digest[:keyBytes])
	return s, nil
}

// render returns what is written to a file.
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

// standInParameters keep the models to one thread. They need no more, and threads
// that wait for each other by spinning make minutes of seconds on a machine whose
// processors are taken by other tests.
func standInParameters() map[string]any { return map[string]any{"num_thread": 1} }

// loadStandIns creates the models that a new server lacks.
func (o *Ollama) loadStandIns(ctx context.Context) error {
	files, err := renderStandIns()
	if err != nil {
		return err
	}
	return o.load(ctx, files)
}

func (o *Ollama) load(ctx context.Context, files standIns) error {
	client, err := newClient(o.Host)
	if err != nil {
		return err
	}
	if o.Version, err = client.Version(ctx); err != nil {
		return fmt.Errorf("read Ollama's version: %w", err)
	}
	missing, err := missingModels(ctx, client)
	if err != nil {
		return err
	}
	for _, name := range missing {
		file, request := files.embedder, &api.CreateRequest{Model: name, Parameters: standInParameters()}
		if name == chatModel {
			file, request.Template = files.chat, tinymodel.ChatTemplate
		}
		digest := blobDigest(file)
		request.Files = map[string]string{"model.gguf": digest}
		if err := client.CreateBlob(ctx, digest, bytes.NewReader(file)); err != nil {
			return fmt.Errorf("upload a stand-in for %s: %w", name, err)
		}
		if err := client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
			return fmt.Errorf("create a stand-in for %s: %w", name, err)
		}
	}
	return nil
}

// blobDigest returns the name that Ollama gives to a file's content.
func blobDigest(content []byte) string {
	digest := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(digest[:])
}
