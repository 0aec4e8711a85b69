package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// SettingsFile is the name of the user's own settings in their folder.
const SettingsFile = "settings.json"

// Settings hold what the user sets for all projects. An empty string means that the file does not
// set the value.
type Settings struct {
	FileWatcher FileWatcher `json:"file_watcher"`
	// EmbeddingModel makes the vectors, of 1,024 dimensions. Vectors of different models are never
	// compared: after a change all documents are embedded again, and are found by their words
	// meanwhile.
	EmbeddingModel  string `json:"embedding_model"`
	GenerationModel string `json:"generation_model"`
	// GenerationContextLength is the size of the generation model's context window in tokens. A model
	// with a smaller window uses its own.
	GenerationContextLength int    `json:"generation_context_length"`
	OllamaHost              string `json:"ollama_host"`
	DatabaseURL             string `json:"database_url"` // may hold a password
	LogLevel                string `json:"log_level"`    // debug, info, warn or error
	// ExternalDocsAllowed lists absolute paths of folders. A project may have these, and folders below
	// them, as external documentation although they are outside its repository. Pass it to [Load].
	ExternalDocsAllowed []string `json:"external_docs_allowed"`
}

// FileWatcher holds the settings of the file watcher.
type FileWatcher struct {
	DebounceMS int `json:"debounce_ms"` // milliseconds without a change before a file is indexed
}

// DefaultSettings returns the values that apply where settings.json sets none.
func DefaultSettings() Settings {
	return Settings{
		FileWatcher:             FileWatcher{DebounceMS: 500},
		EmbeddingModel:          "mxbai-embed-large",
		GenerationModel:         "mistral",
		GenerationContextLength: 8192,
		ExternalDocsAllowed:     []string{},
	}
}

// DefaultHome returns the folder for the user's files when CDOCS_HOME is not set.
func DefaultHome() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the home folder (set CDOCS_HOME to the folder to use): %w", err)
	}
	return filepath.Join(home, ".claude", ConfigDir), nil
}

// LoadSettings reads settings.json in home. If the file does not exist, it returns the defaults. The
// error is a *[ConfigError].
func LoadSettings(home string) (Settings, error) {
	file := filepath.Join(home, SettingsFile)
	settings := DefaultSettings()
	content, err := contain.ReadFile(file, contain.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return settings, nil
	}
	if err != nil {
		return Settings{}, fileError(file, "", err)
	}
	data, value, err := decodeFile(file, content)
	if err != nil {
		return Settings{}, err
	}
	s, err := embeddedSchema("settings.schema.json", "")
	if err != nil {
		return Settings{}, err
	}
	if err := decodeInto(file, data, value, s, &settings); err != nil {
		return Settings{}, err
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
