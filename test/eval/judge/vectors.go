package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// vectorCache stands before an Ollama and answers from a file for texts that it has
// embedded before, by the digest of the model. All other requests go to the Ollama.
type vectorCache struct {
	client *api.Client
	folder string

	mu    sync.Mutex
	known map[string]map[textKey][]float32 // by digest
	added map[string]bool                  // digests with vectors that are in no file
}

// textKey is the hash of a text and of what its vector depends on. That is not the
// request's options: they name the window, and a text beyond it is refused.
type textKey [sha256.Size]byte

func newVectorCache(ollama *url.URL, folder string) *vectorCache {
	return &vectorCache{
		client: api.NewClient(ollama, http.DefaultClient), folder: folder,
		known: map[string]map[textKey][]float32{}, added: map[string]bool{},
	}
}

// serve answers on a port of the loopback interface until stop is called, which writes
// the new vectors to their files.
func (c *vectorCache) serve(ctx context.Context, ollama *url.URL) (host string, stop func() error, err error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", httputil.NewSingleHostReverseProxy(ollama))
	mux.HandleFunc("POST /api/embed", c.embed)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return errors.Join(err, c.save())
	}, nil
}

// embed answers a request for vectors. What Ollama refuses is answered with its status
// and message.
func (c *vectorCache) embed(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var request api.EmbedRequest
	if err := json.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	response, err := c.vectors(r.Context(), request)
	if status, ok := errors.AsType[api.StatusError](err); ok {
		w.WriteHeader(status.StatusCode)
		err = json.NewEncoder(w).Encode(map[string]string{"error": status.ErrorMessage})
	} else if err == nil {
		err = json.NewEncoder(w).Encode(response)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

// vectors returns one vector for each text, and asks Ollama for those that are not known.
func (c *vectorCache) vectors(ctx context.Context, request api.EmbedRequest) (*api.EmbedResponse, error) {
	texts := inputs(request.Input)
	digest, err := c.digest(ctx, request.Model)
	if err != nil {
		return nil, err
	}
	options, err := json.Marshal(struct {
		Truncate   *bool `json:"truncate"`
		Dimensions int   `json:"dimensions"`
	}{request.Truncate, request.Dimensions})
	if err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	c.mu.Lock()
	known := c.known[digest]
	answer, missing := make([][]float32, len(texts)), []int{}
	keys, asked := make([]textKey, len(texts)), []string{}
	for i, text := range texts {
		keys[i] = sha256.Sum256(append(options, text...))
		if answer[i] = known[keys[i]]; answer[i] == nil {
			missing, asked = append(missing, i), append(asked, text)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return &api.EmbedResponse{Model: request.Model, Embeddings: answer}, nil
	}
	request.Input = asked
	response, err := c.client.Embed(ctx, &request)
	if err != nil {
		return nil, err
	}
	if len(response.Embeddings) != len(missing) {
		return nil, fmt.Errorf("got %d vectors for %d texts", len(response.Embeddings), len(missing))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, i := range missing {
		answer[i] = response.Embeddings[at]
		known[keys[i]] = answer[i]
	}
	c.added[digest] = true
	response.Embeddings = answer
	return response, nil
}

// inputs returns the texts of a request, which may be one.
func inputs(input any) (texts []string) {
	switch input := input.(type) {
	case string:
		return []string{input}
	case []any:
		for _, text := range input {
			texts = append(texts, fmt.Sprint(text))
		}
	}
	return texts
}

// weights is the name of a file of weights, by its digest.
var weights = regexp.MustCompile(`sha256-[0-9a-f]{64}`)

// digest returns that of the model's weights, and reads the file of its vectors when it is first seen.
func (c *vectorCache) digest(ctx context.Context, model string) (string, error) {
	list, err := c.client.List(ctx)
	if err != nil {
		return "", err
	}
	for _, listed := range list.Models {
		if listed.Name != model && listed.Name != model+":latest" {
			continue
		}
		shown, err := c.client.Show(ctx, &api.ShowRequest{Model: model})
		if err != nil {
			return "", err
		}
		// The digest that is listed has the folder in it in which that Ollama keeps its models.
		digest := weights.FindString(shown.Modelfile)
		if digest == "" {
			return "", fmt.Errorf("the modelfile of %s names no weights", model)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.known[digest] == nil {
			c.known[digest], err = c.read(digest)
		}
		return digest, err
	}
	return "", api.StatusError{StatusCode: http.StatusNotFound, ErrorMessage: "model " + model + " not found"}
}

func (c *vectorCache) path(digest string) string { return filepath.Join(c.folder, digest+".vectors") }

func (c *vectorCache) read(digest string) (map[textKey][]float32, error) {
	known := map[textKey][]float32{}
	content, err := os.ReadFile(c.path(digest))
	if os.IsNotExist(err) {
		return known, nil
	}
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(content)).Decode(&known)
	}
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	return known, nil
}

// save writes the vectors of each model that has new ones, as a whole or not at all.
func (c *vectorCache) save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.MkdirAll(c.folder, 0o750); err != nil {
		return err
	}
	for digest := range c.added {
		var content bytes.Buffer
		if err := gob.NewEncoder(&content).Encode(c.known[digest]); err != nil {
			return fmt.Errorf("encode vectors: %w", err)
		}
		path := c.path(digest)
		if err := os.WriteFile(path+".new", content.Bytes(), 0o600); err != nil {
			return err
		}
		if err := os.Rename(path+".new", path); err != nil {
			return err
		}
		delete(c.added, digest)
	}
	return nil
}
