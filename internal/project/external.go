package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// maxAlternatives bounds the alternatives of a pattern with braces; *.{md,mdx} has two. Matching tries each of them.
const maxAlternatives = 1_000

// External is a folder of documentation that the server searches and never changes.
type External struct {
	Path   string // the folder as the configuration writes it; answers show it
	Dir    string // the folder's absolute path, without symbolic links
	RelDir string // Dir relative to the project's Root with / separators; "" outside the repository

	root             string // root of the repository
	include, exclude []string
	// privateFolders are folders, relative to Dir, that are never searched: the project's own documents and git's folders.
	privateFolders []string
	ownPlaces      places // own documents that are not in the docs folder
}

// Match reports whether a file belongs to the external docs. relPath is relative to Dir, with / separators.
func (e External) Match(relPath string) bool {
	relPath = path.Clean(relPath)
	owned := e.RelDir != "" && e.ownPlaces.indexOf(path.Join(e.RelDir, relPath)) >= 0
	return matchAny(e.include, relPath) && !matchAny(e.exclude, relPath) && !e.private(relPath) && !owned
}

// Has reports whether a file belongs to the external docs. relPath is relative to the repository, with / separators.
func (e External) Has(relPath string) bool {
	return e.RelDir != "" && contains(e.RelDir, relPath) && e.Match(strings.TrimPrefix(relPath, e.RelDir+"/"))
}

// Prune reports whether a walk may skip the folder relDir, because no file there can match. relDir is relative to Dir.
func (e External) Prune(relDir string) bool {
	relDir = path.Clean(relDir)
	if relDir == "." {
		return false
	}
	return e.private(relDir) || slices.ContainsFunc(e.exclude, func(pattern string) bool {
		return strings.HasSuffix(pattern, "/**") && doublestar.MatchUnvalidated(pattern, relDir)
	})
}

// private reports whether a path belongs to git, or to the project's own documents, which are in another collection.
func (e External) private(relPath string) bool {
	return holdsGit(relPath) || slices.ContainsFunc(e.privateFolders, func(folder string) bool { return contains(folder, relPath) })
}

func matchAny(patterns []string, relPath string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return doublestar.MatchUnvalidated(pattern, relPath)
	})
}

// loadExternal resolves the folder of external_docs. It returns nil if none is configured. The error is a *ConfigError.
func (p *Project) loadExternal(allowed []string) (*External, error) {
	config := p.Config.ExternalDocs
	if config == nil {
		return nil, nil //nolint:nilnil // none configured is a valid state
	}
	dir, err := p.externalDir(config.Path, allowed)
	if err != nil {
		return nil, err
	}
	e := &External{Path: config.Path, Dir: dir, root: p.Root}
	if rel, ok := relative(p.Root, dir); ok {
		e.RelDir = rel
	}
	docs := filepath.Join(p.Root, filepath.FromSlash(p.docsDir))
	if isInside(docs, dir) {
		return nil, p.externalError("path", fmt.Sprintf("is %q, which holds the project's own documents", config.Path),
			`They are searched anyway; name another folder, for example "path": "./docs".`)
	}
	target, err := filepath.EvalSymlinks(docs) // if docs is a link, its target must not be indexed twice
	if err != nil {
		target = docs
	}
	private := append(gitFolders(p.Root), docs, target)
	e.privateFolders = relativePaths(dir, private)
	if inAny(private, dir) {
		e.privateFolders = []string{"."}
	}
	e.include, err = p.patterns("include_patterns", config.IncludePatterns)
	if err != nil {
		return nil, err
	}
	e.exclude, err = p.patterns("exclude_patterns", config.ExcludePatterns)
	return e, err
}

// relativePaths returns each of the folders that is dir or below dir, relative to dir with / separators.
func relativePaths(dir string, folders []string) []string {
	var found []string
	for _, folder := range folders {
		if rel, ok := relative(dir, folder); ok {
			found = append(found, rel)
		}
	}
	return found
}

func (p *Project) externalDir(configured string, allowed []string) (string, error) {
	dir := filepath.FromSlash(configured)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Root, dir)
		if !isInside(p.Root, dir) {
			return "", p.externalLeaves(configured, dir)
		}
	}
	noFolder := func(problem string, err error) error {
		e := p.externalError("path", fmt.Sprintf("names %q, which %s", configured, problem),
			fmt.Sprintf(`Create the folder %s, or name one that exists, for example "path": "./docs", or remove external_docs.`, dir))
		e.Err = err
		return e
	}
	resolved, err := filepath.EvalSymlinks(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", noFolder("does not exist", err)
	case err != nil:
		return "", fileError(dir, "", err)
	case !isInside(p.Root, resolved) && !isAllowed(configured, resolved, allowed):
		return "", p.externalLeaves(configured, resolved)
	}
	if err := p.checkExternalHidden(configured, resolved); err != nil {
		return "", err
	}
	info, err := os.Stat(resolved)
	if err != nil || !info.IsDir() {
		return "", noFolder("is not a folder", err)
	}
	return resolved, nil
}

// checkExternalHidden returns an error if dir is a hidden folder of the repository, or a folder of git, even without
// the name .git. dir has no symbolic links. configured is the path in the configuration.
func (p *Project) checkExternalHidden(configured, dir string) error {
	rel, inside := relative(p.Root, dir)
	if !inside {
		rel = dir
	}
	if holdsGit(rel) || inAny(gitFolders(p.Root), dir) {
		return p.externalError("path", fmt.Sprintf("is %q, which is one of git's own folders", configured),
			`Tokens and passwords may be there. Name a folder of documents, for example "path": "./docs".`)
	}
	if inside && contain.Hidden(rel) {
		return p.externalError("path", fmt.Sprintf("is %q, which leads to a hidden folder", configured),
			`Hidden folders are not searched. Name another, for example "path": "./docs".`)
	}
	return nil
}

// gitFolders returns the folders in which git keeps a checkout's data. The paths have no symbolic links. A folder may
// have another name than .git.
func gitFolders(root string) []string {
	dirs, err := findGit(root)
	if err != nil || dirs.own == "" {
		return nil
	}
	var folders []string
	for _, dir := range []string{dirs.own, dirs.common} {
		resolved, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		folders = append(folders, resolved)
	}
	return folders
}

// isAllowed reports whether the user's settings allow external docs in dir, which is outside the repository. The
// configured path must be absolute: no symbolic link of a repository may lead out. Hidden folders below an allowed
// folder stay closed.
func isAllowed(configured, dir string, allowed []string) bool {
	if !filepath.IsAbs(configured) {
		return false
	}
	return slices.ContainsFunc(allowed, func(folder string) bool {
		resolved, err := filepath.EvalSymlinks(folder)
		if err != nil || !filepath.IsAbs(folder) {
			return false
		}
		rel, ok := relative(resolved, dir)
		return ok && !contain.Hidden(rel)
	})
}

func (p *Project) externalLeaves(configured, dir string) *ConfigError {
	return p.externalError("path", fmt.Sprintf("is %q, which is outside the repository", configured),
		fmt.Sprintf(`Name a folder in the repository, for example "path": "./docs". To use a folder outside it, `+
			`write its absolute path here and allow it in your own settings.json: "external_docs_allowed": [%q].`, dir))
}

// patterns checks the patterns of a key of external_docs, and returns them without a leading "./".
func (p *Project) patterns(key string, list []string) ([]string, error) {
	cleaned := make([]string, 0, len(list))
	for i, pattern := range list {
		key := fmt.Sprintf("%s[%d]", key, i)
		switch {
		case !doublestar.ValidatePattern(pattern):
			return nil, p.externalError(key, fmt.Sprintf("is %q, which is not a valid pattern", pattern),
				`Check its brackets and braces; a correct one is "**/*.md".`)
		case alternatives(pattern) > maxAlternatives:
			return nil, p.externalError(key, fmt.Sprintf("is %q, which has too many alternatives", pattern),
				`Split it into several patterns, each with few braces, for example "**/*.{md,markdown}".`)
		}
		cleaned = append(cleaned, strings.TrimPrefix(pattern, "./"))
	}
	return cleaned, nil
}

// alternatives returns an upper bound for the alternatives of a pattern. It stops counting above maxAlternatives.
func alternatives(pattern string) int {
	total := 1
	for _, group := range strings.Split(pattern, "{")[1:] {
		total *= strings.Count(group, ",") + 2
		if total > maxAlternatives {
			break
		}
	}
	return total
}

func (p *Project) externalError(key, problem, hint string) *ConfigError {
	return &ConfigError{Path: p.ConfigPath, Key: "external_docs." + key, Problem: problem, Hint: hint}
}
