package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SettingsFile is the name of the user's own settings in their folder.
const SettingsFile = "settings.json"

// Settings are the user's own, for all projects. An empty text means that the file says nothing.
type Settings struct {
	FileWatcher FileWatcher `json:"file_watcher"`
	// EmbeddingModel makes the vectors, of 1,024 dimensions. Vectors of different models are never
	// compared, so that another one makes a new index necessary.
	EmbeddingModel  string `json:"embedding_model"`
	GenerationModel string `json:"generation_model"`
	// GenerationContextLength is how many tokens of context the generation model gets, unless it was
	// made for fewer.
	GenerationContextLength int    `json:"generation_context_length"`
	OllamaHost              string `json:"ollama_host"`
	DatabaseURL             string `json:"database_url"` // may hold a password
	LogLevel                string `json:"log_level"`    // debug, info, warn or error
	// ExternalDocsAllowed lists absolute paths of folders outside a repository that it may have as
	// external documentation. Pass it to [Load].
	ExternalDocsAllowed []string `json:"external_docs_allowed"`
}

// FileWatcher says how files are watched.
type FileWatcher struct {
	DebounceMS int `json:"debounce_ms"` // milliseconds that a file must be still
}

// DefaultSettings returns what holds where settings.json says nothing.
func DefaultSettings() Settings {
	return Settings{
		FileWatcher:             FileWatcher{DebounceMS: 500},
		EmbeddingModel:          "mxbai-embed-large",
		GenerationModel:         "mistral",
		GenerationContextLength: 8192,
		ExternalDocsAllowed:     []string{},
	}
}

// DefaultHome returns the user's own folder where CDOCS_HOME does not name another.
func DefaultHome() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the home folder (set CDOCS_HOME to the folder to use): %w", err)
	}
	return filepath.Join(home, ".claude", ConfigDir), nil
}

// LoadSettings reads settings.json in the user's own folder. A missing file means the defaults. The
// error is a *[ConfigError].
func LoadSettings(home string) (Settings, error) {
	file := filepath.Join(home, SettingsFile)
	settings := DefaultSettings()
	content, err := readFile(file, maxFileBytes)
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
