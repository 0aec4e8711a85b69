package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// fact is a line of what the figures were measured on, the same for all rows.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// facts asks the machine and its services. What cannot be found out is "unknown".
func (e *environment) facts(ctx context.Context) ([]fact, error) {
	d, err := e.newDatabase(ctx)
	if err != nil {
		return nil, err
	}
	var postgres, pgvector string
	err = d.scan(ctx, `
		SELECT split_part(current_setting('server_version'), ' ', 1),
			(SELECT extversion FROM pg_extension WHERE extname = 'vector')`, &postgres, &pgvector)
	if err != nil {
		return nil, err
	}
	var settings []string
	for _, name := range []string{
		"shared_buffers", "fsync", "full_page_writes", "synchronous_commit", "work_mem", "max_wal_size", "effective_cache_size",
	} {
		var value string
		if err := d.scan(ctx, "SELECT current_setting('"+name+"')", &value); err != nil {
			return nil, err
		}
		settings = append(settings, name+"="+value)
	}
	if err := d.drop(ctx); err != nil {
		return nil, err
	}
	models := e.ollamaModels + " models"
	if e.ollamaModels == "tiny" {
		models = "tiny stand-ins for mxbai-embed-large and mistral"
	}
	return []fact{
		{"Processor", field("/proc/cpuinfo", "model name")},
		{"Cores", strconv.Itoa(runtime.NumCPU())},
		{"Memory", field("/proc/meminfo", "MemTotal")},
		{"Go", runtime.Version()},
		{"PostgreSQL", postgres + " with pgvector " + pgvector},
		{"PostgreSQL's settings", strings.Join(settings, ", ")},
		{"Ollama", e.ollamaVersion(ctx) + " with " + models},
	}, nil
}

func (e *environment) ollamaVersion(ctx context.Context) string {
	client, err := ollamaClient(e.ollamaHost)
	if err != nil {
		return unknown
	}
	version, err := client.Version(ctx)
	if err != nil {
		return unknown
	}
	return version
}

const unknown = "unknown"

// field returns the value of the first "name: value" line of a file.
func field(file, name string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return unknown
	}
	for line := range strings.Lines(string(content)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}

// version of what is measured.
func version(ctx context.Context) string {
	return strings.TrimSpace(output(ctx, "git", "describe", "--always", "--dirty"))
}

func output(ctx context.Context, program string, arguments ...string) string {
	text, err := exec.CommandContext(ctx, program, arguments...).Output()
	if err != nil {
		return unknown
	}
	return string(text)
}
