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

// runOllama starts a server on a free port of the loopback interface and waits
// until it answers. Models are kept in the folder, which other servers may use
// at the same time.
func runOllama(ctx context.Context, binary, models string, logf Logf) (_ *Ollama, err error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	home, err := newScratch(ctx, os.TempDir(), "cdocs-ollama-", logf)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, home.remove())
		}
	}()

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
		return nil, err
	}
	server := &Ollama{
		Host:   "http://" + address,
		Route:  "private, built from its Go module",
		Models: TinyModels,
		stop:   func() error { return errors.Join(process.stop(syscall.SIGTERM), home.remove()) },
	}
	client, err := newClient(server.Host)
	if err != nil {
		return nil, errors.Join(err, process.stop(syscall.SIGTERM))
	}
	if err := process.waitUntil(ctx, func(ctx context.Context) error {
		_, err := client.Version(ctx)
		return err //nolint:wrapcheck // waitUntil does
	}); err != nil {
		return nil, errors.Join(err, process.stop(syscall.SIGTERM))
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
func renderStandIns() (standIns, error) {
	var embedder, chat bytes.Buffer
	if err := tinymodel.WriteEmbedder(&embedder, tinymodel.General()); err != nil {
		return standIns{}, fmt.Errorf("write a stand-in for %s: %w", embedModel, err)
	}
	if err := tinymodel.WriteChat(&chat); err != nil {
		return standIns{}, fmt.Errorf("write a stand-in for %s: %w", chatModel, err)
	}
	const keyBytes = 8
	digest := sha256.Sum256(fmt.Append(nil,
		blobDigest(embedder.Bytes()), blobDigest(chat.Bytes()), tinymodel.ChatTemplate, standInParameters()))
	return standIns{
		embedder: embedder.Bytes(),
		chat:     chat.Bytes(),
		key:      hex.EncodeToString(digest[:keyBytes]),
	}, nil
}

// standInParameters keep the models to one thread. They need no more, and threads
// that wait for each other by spinning make minutes of seconds on a machine whose
// processors are taken by other tests.
func standInParameters() map[string]any { return map[string]any{"num_thread": 1} }

// folder returns the cached folder in which Ollama keeps these models.
func (s standIns) folder() (string, error) {
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "models-"+s.key)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return "", fmt.Errorf("create a folder for models: %w", err)
	}
	return folder, nil
}

// prepare creates the models unless the folder has them.
func (o *Ollama) prepare(ctx context.Context, files standIns, folder string) error {
	lock, err := lockFile(ctx, filepath.Join(folder, "create.lock"))
	if err != nil {
		return err
	}
	return errors.Join(o.load(ctx, files), lock.unlock())
}

// load creates the models that the server lacks.
func (o *Ollama) load(ctx context.Context, files standIns) error {
	client, err := newClient(o.Host)
	if err != nil {
		return err
	}
	if o.Version, err = client.Version(ctx); err != nil {
		return fmt.Errorf("read Ollama's version: %w", err)
	}
	return createMissing(ctx, client, files)
}

func createMissing(ctx context.Context, client *api.Client, files standIns) error {
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
