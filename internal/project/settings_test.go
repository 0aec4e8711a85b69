package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/project"
)

func TestLoadSettings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
		want  project.Settings
	}{
		{"no file", nil, project.DefaultSettings()},
		{"empty object", map[string]string{"settings.json": "{}"}, project.DefaultSettings()},
		{"everything", map[string]string{"settings.json": `{
			"file_watcher": {"debounce_ms": 50},
			"embedding_model": "bge-m3",
			"generation_model": "llama3",
			"generation_context_length": 16384,
			"generation_wait_seconds": 90,
			"ollama_host": "http://a:1,http://b:2",
			"embedding_host": {"api": "openai", "url": "http://c:3/v1"},
			"generation_host": {"api": "ollama", "url": "http://d:4"},
			"database_url": "postgres://u:p@h/d",
			"postgres": "/usr/lib/postgresql/17/bin",
			"log_level": "debug",
			"unused_text_hours": 1.5,
			"recall": "prompt",
			"recall_threshold": 0.85,
			"recall_collections": ["compounding", "external"],
			"recall_visible": true,
			"keep_questions": false,
			"external_docs_allowed": ["/srv/handbook"]
		}`}, project.Settings{
			FileWatcher:             project.FileWatcher{DebounceMS: 50},
			EmbeddingModel:          "bge-m3",
			GenerationModel:         "llama3",
			GenerationContextLength: 16384,
			GenerationWaitSeconds:   90,
			OllamaHost:              "http://a:1,http://b:2",
			EmbeddingHost:           project.ModelHost{API: "openai", URL: "http://c:3/v1"},
			GenerationHost:          project.ModelHost{API: "ollama", URL: "http://d:4"},
			DatabaseURL:             "postgres://u:p@h/d",
			Postgres:                "/usr/lib/postgresql/17/bin",
			LogLevel:                "debug",
			UnusedTextHours:         1.5,
			Recall:                  project.RecallPrompt,
			RecallThreshold:         0.85,
			RecallCollections:       []string{"compounding", "external"},
			RecallVisible:           true,
			ExternalDocsAllowed:     []string{"/srv/handbook"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := project.LoadSettings(newRepo(t, tt.files))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoadSettings_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, settings, want string }{
		{
			"cut off", `{"log_level": "info"`,
			`: line 1, column 20: unexpected end of JSON input. Every key and text stands in double quotes, ` +
				`entries are separated by commas, with none after the last, and there are no comments; for example {"log_level": "warn"}.`,
		},
		{
			"misspelt key", `{"generation_modle": "x"}`,
			`: "generation_modle" is not a known field. Write one of the fields $schema, database_url, embedding_host, embedding_model, external_docs_allowed, file_watcher, generation_context_length, generation_host, generation_model, generation_wait_seconds,….`,
		},
		{
			"no model", `{"embedding_model": ""}`,
			`: "embedding_model" is empty. Write text.`,
		},
		{
			"level", `{"log_level": "verbose"}`,
			`: "log_level" is "verbose". Write one of debug, info, warn, error.`,
		},
		{
			"a host without its API", `{"embedding_host": {"url": "http://localhost"}}`,
			`: "embedding_host.api" is missing. Write one of ollama, openai.`,
		},
		{
			"a key", `{"generation_host": {"api": "openai", "url": "http://localhost", "key": "s3cret"}}`,
			`: "generation_host.key" is not a known field. Write one of the fields api, key_file, url.`,
		},
		{
			"a relative key file", `{"generation_host": {"api": "openai", "url": "http://localhost", "key_file": "key"}}`,
			`: "generation_host.key_file" is "key", which is not an absolute path. ` + keyHint,
		},
		{
			"relative folder", `{"external_docs_allowed": ["/srv", "docs"]}`,
			`: "external_docs_allowed[1]" is "docs", which is not an absolute path. Write the whole path, for example "/home/me/team-handbook".`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := newRepo(t, map[string]string{"settings.json": tt.settings})
			_, err := project.LoadSettings(home)
			if diff := cmp.Diff("ROOT/settings.json"+tt.want, message(t, err, home)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const keyHint = "Name by its absolute path a file that has the key and mode 0600 (chmod 600)."

// A key is read from a file that nobody else can read.
func TestLoadSettings_ReadsAKey(t *testing.T) {
	t.Parallel()
	home := newRepo(t, map[string]string{"key": " s3cret\n"})
	file := filepath.Join(home, "key")
	settings := `{"embedding_host": {"api": "openai", "url": "http://localhost", "key_file": "` + filepath.ToSlash(file) + `"}}`
	for _, test := range []struct {
		mode os.FileMode
		want string
	}{
		{0o600, ""},
		{0o640, `ROOT/settings.json: "embedding_host.key_file" is "ROOT/key", which others can read. ` + keyHint},
	} {
		if err := errors.Join(os.WriteFile(filepath.Join(home, "settings.json"), []byte(settings), 0o600), os.Chmod(file, test.mode)); err != nil {
			t.Fatal(err)
		}
		got, err := project.LoadSettings(home)
		if test.want == "" && (err != nil || got.EmbeddingHost.Key != "s3cret") {
			t.Errorf("got key %q, %v", got.EmbeddingHost.Key, err)
		}
		if test.want != "" && runtime.GOOS != "windows" {
			if diff := cmp.Diff(test.want, message(t, err, home)); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// A repository names no server that would get the text of documents, and no key.
func TestLoad_RefusesAModelServer(t *testing.T) {
	t.Parallel()
	root := newRepo(t, map[string]string{
		configPath: `{"project_name": "p", "embedding_host": {"api": "openai", "url": "http://evil", "key_file": "/home/me/key"}}`,
	})
	if _, err := project.Load(root); err == nil || !strings.Contains(err.Error(), `"embedding_host" is not a known field`) {
		t.Errorf("got %v", err)
	}
}

func TestLoadSettings_RefusesAFolder(t *testing.T) {
	t.Parallel()
	home := newRepo(t, map[string]string{"settings.json/": ""})
	_, err := project.LoadSettings(home)
	if diff := cmp.Diff("ROOT/settings.json is not a regular file. Put a file there in its place. CDOCS_HOME names its folder.", message(t, err, home)); diff != "" {
		t.Error(diff)
	}
}

func TestLoadSettings_NeverShowsAPassword(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		`{"database_url": ["postgres://u:hunter2@h/d"]}`,
		`{"database_url": "postgres://u:hunter2@h/d", "log_level": 1}`,
		`{"database_url": "postgres://u:hunter2@h/d" "x"}`,
		`{"database_uri": "postgres://u:hunter2@h/d"}`,
	} {
		home := newRepo(t, map[string]string{"settings.json": settings})
		_, err := project.LoadSettings(home)
		if got := message(t, err, home); strings.Contains(got, "hunter2") {
			t.Errorf("password in %q", got)
		}
	}
}
