package project

import (
	"path/filepath"
	"slices"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

// Config is the content of config.json with defaults applied.
type Config struct {
	ProjectName    string          `json:"project_name"`
	Profile        string          `json:"profile"` // CompoundEngineering, or "" for none
	Documents      Documents       `json:"documents"`
	Retrieval      Retrieval       `json:"retrieval"`
	SemanticSearch SemanticSearch  `json:"semantic_search"`
	LinkResolution LinkResolution  `json:"link_resolution"`
	Recall         Recall          `json:"recall"`
	Rules          bool            `json:"rules"`         // rules for assistants are documents; see [Project.RuleFolders]
	ExternalDocs   *ExternalDocs   `json:"external_docs"` // nil without external docs
	CustomDocTypes []CustomDocType `json:"custom_doc_types"`
}

// Documents says where the project's own documents are, and which checks apply.
type Documents struct {
	Folder   string   `json:"folder"`             // as written; see [Project.DocsDir]
	Folders  []string `json:"folders"`            // more folders, files and patterns; documents there are lenient
	Lenient  bool     `json:"lenient"`            // documents in Folder may have any front matter, or no front matter
	LinkRoot string   `json:"link_root"`          // links that begin with / start in this folder; "." is the repository
	Language string   `json:"language,omitempty"` // code of the documents' language; "" detects it for each document
}

// Retrieval has the defaults of rag_query and rag_query_external.
type Retrieval struct {
	MinRelevanceScore float64 `json:"min_relevance_score"` // in [0,1]
	MaxResults        int     `json:"max_results"`
	MaxLinkedDocs     int     `json:"max_linked_docs"`
}

// SemanticSearch has the defaults of semantic_search.
type SemanticSearch struct {
	MinRelevanceScore float64 `json:"min_relevance_score"` // in [0,1]
	DefaultLimit      int     `json:"default_limit"`
	// Configured is min_relevance_score in config.json, or nil if the file does not set it. In the two tools for external
	// docs, Configured wins over the score that a caller passes.
	Configured *float64 `json:"-"`
}

// LinkResolution bounds how links between documents are followed.
type LinkResolution struct {
	MaxDepth      int `json:"max_depth"`
	MaxLinkedDocs int `json:"max_linked_docs"` // the default is retrieval.max_linked_docs
}

// ExternalDocs says which files, besides the project's own documents, the server can search as reference material.
type ExternalDocs struct {
	Path            string   `json:"path"` // as written; [External] has the absolute path
	IncludePatterns []string `json:"include_patterns"`
	ExcludePatterns []string `json:"exclude_patterns"`
}

// CustomDocType declares a doc-type that only this project has.
type CustomDocType struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Folder      string `json:"folder"`
	SchemaFile  string `json:"schema_file"` // relative to the folder of the documents; "" for none
}

// DefaultConfig returns the values for keys that config.json does not set.
func DefaultConfig() Config {
	return Config{
		Documents:      Documents{Folder: DocsFolder, Folders: []string{}, LinkRoot: "."},
		Retrieval:      Retrieval{MinRelevanceScore: 0.7, MaxResults: 3, MaxLinkedDocs: 5},
		SemanticSearch: SemanticSearch{MinRelevanceScore: 0.5, DefaultLimit: 10},
		LinkResolution: LinkResolution{MaxDepth: 2, MaxLinkedDocs: 5},
		Recall:         RecallAll,
		Rules:          true,
		CustomDocTypes: []CustomDocType{},
	}
}

// defaultExternalDocs returns the values for keys that external_docs does not set.
func defaultExternalDocs() *ExternalDocs {
	return &ExternalDocs{
		IncludePatterns: []string{"**/*.md"},
		ExcludePatterns: []string{"**/node_modules/**"},
	}
}

// loadConfig reads the config.json of root, a repository without symbolic links in its path. The error is a
// *ConfigError.
func loadConfig(root string) (Config, error) {
	file := configFile(root)
	content, err := readInside(root, filepath.Join(ConfigDir, ConfigFile))
	if err != nil {
		return Config{}, fileError(file, missingConfigHint(root), err)
	}
	config := DefaultConfig()
	config.ExternalDocs = defaultExternalDocs()
	value, err := decode(file, content, "config.schema.json", minimalConfig, &config)
	if err != nil {
		return Config{}, err
	}
	if config.Profile != "" { // documents of a profile lack fields that doc-types require
		config.Documents.Lenient = true
	}
	if value["external_docs"] == nil {
		config.ExternalDocs = nil
	}
	if jsonschema.ValueAt(value, []string{"semantic_search", "min_relevance_score"}) != nil {
		score := config.SemanticSearch.MinRelevanceScore
		config.SemanticSearch.Configured = &score
	}
	if jsonschema.ValueAt(value, []string{"link_resolution", "max_linked_docs"}) == nil {
		config.LinkResolution.MaxLinkedDocs = config.Retrieval.MaxLinkedDocs
	}
	return config, nil
}

// NameAt returns the project's name in the config.json of root, a path without symbolic links. The error is a
// *[ConfigError].
func NameAt(root string) (string, error) {
	config, err := loadConfig(root)
	return config.ProjectName, err
}

// Recall says which hooks of an assistant the server answers.
type Recall string

// The values of Recall, from the strictest to the most permissive. The default is RecallAll.
const (
	RecallOff    Recall = "off"
	RecallPrompt Recall = "prompt" // the server answers only prompts of the user
	RecallAll    Recall = "all"
	// RecallGuard is like RecallAll. The server also denies a command or an edit, once, if a critical document warns of
	// it. Only the user can set RecallGuard. In a project's config it has no effect.
	RecallGuard Recall = "guard"
)

// And returns the stricter of the user's value r and the project's value limit. RecallAll, the default, is no limit.
func (r Recall) And(limit Recall) Recall {
	if limit == RecallAll {
		return r
	}
	strict := []Recall{RecallOff, RecallPrompt, RecallAll, RecallGuard}
	return strict[min(slices.Index(strict, r), slices.Index(strict, limit))]
}
