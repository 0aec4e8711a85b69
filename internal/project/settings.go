package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// SettingsFile is the name of the user's settings file. It is in home, the user's folder for this program.
const SettingsFile = "settings.json"

// Settings are the user's settings for all projects. An empty text means that the setting is not set.
type Settings struct {
	FileWatcher FileWatcher `json:"file_watcher"`
	// EmbeddingModel is the model that makes the vectors. After a change of the model, the server embeds all documents
	// again. Until a document has its new vectors, searches find it by words.
	EmbeddingModel  string `json:"embedding_model"`
	GenerationModel string `json:"generation_model"`
	// GenerationContextLength is the context window in tokens. A model with a smaller window uses its own.
	GenerationContextLength int       `json:"generation_context_length"`
	GenerationWaitSeconds   int       `json:"generation_wait_seconds"` // longest wait for the first words of an answer
	OllamaHost              string    `json:"ollama_host"`
	EmbeddingHost           ModelHost `json:"embedding_host"`  // replaces OllamaHost for embeddings
	GenerationHost          ModelHost `json:"generation_host"` // replaces OllamaHost for answers
	DatabaseURL             string    `json:"database_url"`    // may have a password
	// Postgres is the folder of the programs initdb and postgres for a private database.
	Postgres          string   `json:"postgres"`
	LogLevel          string   `json:"log_level"`         // debug, info, warn or error
	UnusedTextHours   float64  `json:"unused_text_hours"` // how long the index keeps text that no document has any more
	Recall            Recall   `json:"recall"`
	RecallThreshold   float64  `json:"recall_threshold"`   // hooks show documents of at least this relevance
	RecallCollections []string `json:"recall_collections"` // collections that hooks search
	RecallVisible     bool     `json:"recall_visible"`     // the user sees what hooks show
	KeepQuestions     bool     `json:"keep_questions"`     // the user's folder keeps questions without a result
	// ExternalDocsAllowed are absolute paths of folders outside repositories. A project may have such a folder, or a
	// folder below it, as external docs. Pass the list to [Load].
	ExternalDocsAllowed []string `json:"external_docs_allowed"`
}

// ModelHost is a server that runs models. A ModelHost without a URL is not set.
type ModelHost struct {
	API     string `json:"api"` // ollama or openai
	URL     string `json:"url"`
	KeyFile string `json:"key_file"`
	Key     string `json:"-"` // the content of KeyFile
}

// readKey reads KeyFile into Key. It refuses a file that other users can read.
func (h *ModelHost) readKey(settings, name string) error {
	if h.KeyFile == "" {
		return nil
	}
	const others = 0o077
	wrong := func(format string, value any) error {
		return &ConfigError{
			Path: settings, Key: name + ".key_file", Problem: fmt.Sprintf(format, value),
			Hint: "Name by its absolute path a file that has the key and mode 0600 (chmod 600).",
		}
	}
	if !filepath.IsAbs(h.KeyFile) {
		return wrong("is %q, which is not an absolute path", h.KeyFile)
	}
	info, err := os.Stat(h.KeyFile)
	if err != nil {
		return wrong("cannot be read: %v", err)
	}
	if info.Mode().Perm()&others != 0 && runtime.GOOS != "windows" {
		return wrong("is %q, which others can read", h.KeyFile)
	}
	content, err := contain.ReadFile(h.KeyFile, contain.MaxConfig)
	if err != nil {
		return wrong("cannot be read: %v", err)
	}
	h.Key = strings.TrimSpace(string(content))
	return nil
}

// FileWatcher has the settings of the file watcher.
type FileWatcher struct {
	DebounceMS int `json:"debounce_ms"` // milliseconds without a change before a file is indexed
}

// DefaultSettings returns the values for keys that settings.json does not set.
func DefaultSettings() Settings {
	return Settings{
		FileWatcher:             FileWatcher{DebounceMS: 500},
		EmbeddingModel:          "mxbai-embed-large",
		GenerationModel:         "mistral",
		GenerationContextLength: 8192,
		GenerationWaitSeconds:   50,
		UnusedTextHours:         24,
		Recall:                  RecallAll,
		RecallThreshold:         0.85,
		RecallCollections:       []string{"compounding"},
		KeepQuestions:           true,
		ExternalDocsAllowed:     []string{},
	}
}

// SaveSetting sets one key, such as "database_url", in the settings.json of home. It lets only the user read the file.
func SaveSetting(home, key, value string) error {
	file := filepath.Join(home, SettingsFile)
	content, err := contain.ReadFile(file, contain.MaxConfig)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the settings: %w", err)
	}
	settings := map[string]any{}
	if len(content) > 0 {
		err := json.Unmarshal(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), &settings)
		if err != nil {
			return fmt.Errorf("read the settings: %w", err)
		}
	}
	settings[key] = value
	changed, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	if err := writeSettings(home, content, append(changed, '\n')); err != nil {
		return fmt.Errorf("write %s: %w; CDOCS_HOME names another folder for it", file, err)
	}
	return nil
}

func writeSettings(home string, before, content []byte) error {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	root, err := contain.Open(home)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	err = os.Chmod(filepath.Join(home, SettingsFile), 0o600)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return root.Save(SettingsFile, before, content, 0o600)
}

// LoadSettings reads settings.json in home, and returns the defaults without such a file. The error is a
// *[ConfigError].
func LoadSettings(home string) (Settings, error) {
	file := filepath.Join(home, SettingsFile)
	settings := DefaultSettings()
	content, err := contain.ReadFile(file, contain.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return settings, nil
	}
	if err != nil {
		refused := fileError(file, "", err)
		refused.Hint += " CDOCS_HOME names its folder."
		return Settings{}, refused
	}
	if _, err := decode(file, content, "settings.schema.json", minimalSettings, &settings); err != nil {
		return Settings{}, err
	}
	if err := settings.EmbeddingHost.readKey(file, "embedding_host"); err != nil {
		return Settings{}, err
	}
	if err := settings.GenerationHost.readKey(file, "generation_host"); err != nil {
		return Settings{}, err
	}
	if settings.Postgres != "" && !filepath.IsAbs(settings.Postgres) {
		return Settings{}, &ConfigError{
			Path: file, Key: "postgres", Problem: fmt.Sprintf("is %q, which is not an absolute path", settings.Postgres),
			Hint: `Write the folder of the program initdb, for example "/usr/lib/postgresql/17/bin".`,
		}
	}
	for i, folder := range settings.ExternalDocsAllowed {
		if !filepath.IsAbs(folder) {
			return Settings{}, &ConfigError{
				Path: file, Key: fmt.Sprintf("external_docs_allowed[%d]", i),
				Problem: fmt.Sprintf("is %q, which is not an absolute path", folder),
				Hint:    `Write the whole path, for example "/home/me/team-handbook".`,
			}
		}
	}
	return settings, nil
}

// Load calls the function [Load] with ExternalDocsAllowed.
func (s Settings) Load(configPath string) (*Project, error) {
	return Load(configPath, s.ExternalDocsAllowed...)
}
