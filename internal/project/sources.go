package project

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// Source is a folder with texts that an assistant keeps. It is searched with the external docs and never changed.
type Source struct {
	Name string // as in [Settings.Sources]
	Dir  string // its absolute path; it may be missing

	patterns []string // of its files, relative to Dir
	project  *Project // its own documents do not belong to the source
}

// Match reports whether a file belongs to the source, by its path in Dir.
func (s Source) Match(name string) bool {
	rel, isInside := relative(s.project.Root, filepath.Join(s.Dir, name))
	if _, isOwn := s.project.PlaceOf(rel); isInside && isOwn && !contain.Hidden(rel) {
		return false
	}
	return matchAny(s.patterns, name) && copyOrTemplate(name) == ""
}

// Prune reports whether a folder of Dir has no file of the source.
func (s Source) Prune(string) bool { return !strings.Contains(strings.Join(s.patterns, " "), "/") }

// sourceNames are the names of [Settings.Sources].
var sourceNames = []string{"claude", "codex"}

// Load is [Load] with what the settings allow, and with their sources. The error is that of Load.
func (s Settings) Load(configPath string) (*Project, error) {
	p, err := Load(configPath, s.ExternalDocsAllowed...)
	if err != nil {
		return nil, err
	}
	for _, name := range s.Sources {
		source, err := sourceOf(name, p.Root)
		if err != nil {
			return nil, fmt.Errorf("find the folder of the source %s: %w", name, err)
		}
		if other := p.nested(source); other != "" {
			return nil, &ConfigError{
				Path: SettingsFile, Key: "sources", Problem: fmt.Sprintf("has %s, and %s lies in it or around it", source.Dir, other),
				Hint: "Remove one of the two.",
			}
		}
		source.project = p
		p.sources = append(p.sources, source)
	}
	p.ruleFolders = p.findRuleFolders() // without those in a source
	return p, nil
}

// nested returns the folder of external docs or of another source that a source lies in, or that lies in it, or "".
func (p *Project) nested(source Source) string {
	var others []string
	if p.external != nil {
		others = append(others, p.external.Dir)
	}
	for _, other := range p.sources {
		others = append(others, other.Dir)
	}
	at := slices.IndexFunc(others, func(other string) bool { return isInside(other, source.Dir) || isInside(source.Dir, other) })
	if at < 0 {
		return ""
	}
	return others[at]
}

// Sources returns the sources of the user's settings.
func (p *Project) Sources() []Source { return slices.Clone(p.sources) }

// HasExternal reports whether something is searched beside the own documents.
func (p *Project) HasExternal() bool { return p.external != nil || len(p.sources) > 0 }

// ExternalPath names what is searched beside the own documents: external_docs.path, or else the folders of the sources.
func (p *Project) ExternalPath() string {
	if p.external != nil {
		return p.external.Path
	}
	var folders []string
	for _, source := range p.sources {
		folders = append(folders, source.Dir)
	}
	return strings.Join(folders, ", ")
}

// SourceOf returns the name of the source that has a document, by its path in the index, or "".
func (p *Project) SourceOf(indexed string) string {
	innermost := Source{}
	for _, source := range p.sources {
		if len(source.Dir) > len(innermost.Dir) && isInside(source.Dir, filepath.FromSlash(indexed)) {
			innermost = source
		}
	}
	return innermost.Name
}

// sourceOf returns a source of [Settings.Sources] for the repository at root. The folders are those that the
// assistants' documentation names: "How Claude remembers your project" of Claude Code, "Memories" of Codex.
func sourceOf(name, root string) (Source, error) {
	switch name {
	case "claude":
		folder, err := userFolder("CLAUDE_CONFIG_DIR", ".claude")
		dir := filepath.Join(folder, "projects", claudeName(root), "memory")
		return Source{Name: name, Dir: dir, patterns: []string{"**/*.md"}}, err
	case "codex": // the other files there repeat what MEMORY.md says
		folder, err := userFolder("CODEX_HOME", ".codex")
		return Source{Name: name, Dir: filepath.Join(folder, "memories"), patterns: []string{"MEMORY.md"}}, err
	}
	return Source{Name: name, Dir: filepath.Clean(name), patterns: []string{"**/*.{md,mdc,mdx,markdown}"}}, nil
}

// claudeName returns the name that Claude Code gives the folder of a repository: that of its main work tree, with a
// hyphen for all but letters and digits.
func claudeName(root string) string {
	switch dirs, err := findGit(root); {
	case err != nil || dirs.own == "":
	case filepath.Base(dirs.common) == ".git" && dirs.haveTop():
		root = filepath.Dir(dirs.common)
	default:
		root = dirs.top
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, root)
}

// userFolder returns the folder that an environment variable names, or else one of the home folder.
func userFolder(variable, name string) (string, error) {
	if folder := os.Getenv(variable); folder != "" {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, name), err
}
