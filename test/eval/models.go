package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// competitor is a way to search: without a model by words alone, or by words and built-in vectors.
type competitor struct {
	name, model string
	modes       []string
}

// tinyStandIn names the model of the tests, which knows hardly any meanings.
const tinyStandIn = "tiny stand-in"

// competitors returns words alone, words and built-in vectors, the model that the project uses by itself, all-minilm if
// Ollama has it, and the models in the files. Each model is judged by vectors alone too.
func competitors(ctx context.Context, ollama string, files []string) ([]competitor, error) {
	const own, small = "mxbai-embed-large", "all-minilm"
	host, err := url.Parse(ollama)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", testenv.EnvOllamaHost, err)
	}
	client := api.NewClient(host, http.DefaultClient)
	both := []string{vector, hybrid}
	all := []competitor{{"words", "", []string{lexical}}, {"built in", "", []string{hybrid}}, {own, own, both}}
	if os.Getenv(testenv.EnvOllamaModels) == string(testenv.TinyModels) {
		all[2].name = tinyStandIn
	}
	list, err := client.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	if slices.ContainsFunc(list.Models, func(m api.ListModelResponse) bool { return m.Name == small+":latest" }) {
		all = append(all, competitor{small, small, both})
	}
	for _, file := range files {
		name := strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
		if err := create(ctx, client, name, file); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(other competitor) bool { return other.model == name }) {
			all = append(all, competitor{name, name, both})
		}
	}
	return all, nil
}

// create makes a model of the file. One thread embeds on a busy machine faster than
// threads that wait for each other.
func create(ctx context.Context, client *api.Client, name, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	if err := client.CreateBlob(ctx, digest, bytes.NewReader(content)); err != nil {
		return fmt.Errorf("upload %s: %w", file, err)
	}
	request := &api.CreateRequest{
		Model: name, Files: map[string]string{"model.gguf": digest}, Parameters: map[string]any{"num_thread": 1},
	}
	if err := client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
		return fmt.Errorf("create a model of %s: %w", file, err)
	}
	return nil
}
