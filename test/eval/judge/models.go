package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// tinyStandIn names the model of the tests, which knows hardly any meanings.
const tinyStandIn = "tiny stand-in"

// competitors are words alone, the model that the project uses by itself, all-minilm if
// Ollama has it, and the models in the files. Each model is judged by vectors alone too.
func (c *vectorCache) competitors(ctx context.Context, files []string) ([]competitor, error) {
	const own, small = "mxbai-embed-large", "all-minilm"
	all := []competitor{{"words", "", rag.Lexical}}
	add := func(name, model string) {
		all = append(all, competitor{name + ", vectors alone", model, rag.Vector}, competitor{name, model, rag.Hybrid})
	}
	if os.Getenv(testenv.EnvOllamaModels) == string(testenv.TinyModels) {
		add(tinyStandIn, own)
	} else {
		add(own, own)
	}
	list, err := c.client.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	if slices.ContainsFunc(list.Models, func(m api.ListModelResponse) bool { return m.Name == small+":latest" }) {
		add(small, small)
	}
	for _, file := range files {
		name := strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
		if err := c.create(ctx, name, file); err != nil {
			return nil, err
		}
		if name != small || !slices.ContainsFunc(all, func(other competitor) bool { return other.model == name }) {
			add(name, name)
		}
	}
	return all, nil
}

// create makes a model of the file. One thread embeds on a busy machine faster than
// threads that wait for each other.
func (c *vectorCache) create(ctx context.Context, name, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	if err := c.client.CreateBlob(ctx, digest, bytes.NewReader(content)); err != nil {
		return fmt.Errorf("upload %s: %w", file, err)
	}
	request := &api.CreateRequest{
		Model: name, Files: map[string]string{"model.gguf": digest}, Parameters: map[string]any{"num_thread": 1},
	}
	if err := c.client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
		return fmt.Errorf("create a model of %s: %w", file, err)
	}
	return nil
}
