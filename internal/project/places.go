package project

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// places are the folders and files that documents.folders names.
type places struct {
	list []place
	// external is the folder of external docs, relative to the repository, or "". A file in this folder is an own document
	// only if a place lies inside the folder.
	external string
	git      []string // git's folders, relative to the repository; their names may differ from .git
	// withRules makes every AGENTS.md and CLAUDE.md below the root a document.
	withRules bool
}

// place is a folder or a file of the repository, or a pattern that matches several.
type place struct {
	pattern    string // relative to the repository; "**" for all of it
	inExternal bool   // the place lies in the folder of external docs
}

// base returns the part of the pattern before the first element with a wildcard, or "." if this part is empty.
func (p place) base() string {
	if !isPattern(p.pattern) {
		return p.pattern
	}
	base, _ := doublestar.SplitPattern(p.pattern)
	return base
}

func (p place) covers(name string) bool {
	return doublestar.MatchUnvalidated(p.pattern, name) || doublestar.MatchUnvalidated(p.pattern+"/**", name)
}

// mayHold reports whether dir, or a folder below dir, can have files of the place. byName says that the pattern spells
// out the last element of dir, without a wildcard.
func (p place) mayHold(dir string) (holds, byName bool) {
	parts := strings.Split(p.pattern, "/") // each is a valid pattern, because [placePattern] checks it
	for i, element := range strings.Split(dir, "/") {
		if i >= len(parts) || parts[i] == "**" {
			return true, false
		}
		if !doublestar.MatchUnvalidated(parts[i], element) {
			return false, false
		}
		byName = parts[i] == element
	}
	return true, byName
}

// indexOf returns the index of the first place to which a document belongs, or -1 if it belongs to none.
func (p places) indexOf(name string) int {
	if !IsMarkdown(name) {
		return -1
	}
	name = norm.NFC.String(name)
	return slices.IndexFunc(p.list, func(place place) bool {
		return place.covers(name) && (place.inExternal || !contains(p.external, name)) &&
			(place.pattern == name || p.withRules && IsNestedInstruction(name) || LeftOut(name) == "")
	})
}

// prunes reports whether a walk for documents may skip a folder, because the folder can hold no file of a place.
func (p places) prunes(dir string) bool {
	if slices.Contains(p.git, dir) {
		return true
	}
	dir = norm.NFC.String(dir)
	return !slices.ContainsFunc(p.list, func(place place) bool {
		holds, _ := place.mayHold(dir)
		return holds && (place.inExternal || !contains(p.external, dir))
	})
}

// contains reports whether a path of the repository is folder or below it. The folder "" contains nothing.
func contains(folder, name string) bool {
	return folder == "." || folder != "" && (name == folder || strings.HasPrefix(name, folder+"/"))
}

// IsMarkdown reports whether a file is markdown, by the extension of its name.
func IsMarkdown(name string) bool {
	return slices.Contains([]string{".md", ".markdown", ".mdx"}, strings.ToLower(path.Ext(name)))
}

// vendored reports whether the name of a folder says that somebody else or a program wrote the files in it.
func vendored(folder string) bool {
	return packaged(folder) || slices.Contains([]string{
		"vendor", "third_party", "venv", "virtualenv", "target", "dist", "versioned_docs",
	}, path.Base(folder))
}

// packaged is like vendored, but knows only names that no team gives to a folder of notes.
func packaged(folder string) bool {
	return slices.Contains([]string{
		"node_modules", "bower_components", "site-packages", "__pycache__", "_build", "_site", "_book", "jspm_packages",
		"web_modules", "Pods", "Carthage",
	}, path.Base(folder))
}

// boilerplate says why a file with this name is no document. Most repositories have such a file, or assistants read the
// file by themselves. boilerplate returns "" for any other name.
func boilerplate(name string) string {
	switch strings.TrimSuffix(path.Base(name), path.Ext(name)) {
	case "CHANGELOG", "Changelog", "changelog", "CHANGES", "HISTORY", "RELEASES":
		return "a list of changes"
	case "LICENSE", "LICENCE", "license", "COPYING", "NOTICE", "CODE_OF_CONDUCT", "code_of_conduct",
		"PULL_REQUEST_TEMPLATE", "pull_request_template":
		return "says little of this project"
	case "CLAUDE", "AGENTS", "GEMINI":
		return "assistants read it by themselves"
	}
	return ""
}

// LeftOut says why a file with this name is not a document. It returns "" for a name that a document can have. A file
// whose full path is in documents.folders is a document in any case.
func LeftOut(name string) string {
	return cmp.Or(boilerplate(name), copyOrTemplate(name))
}

// copyOrTemplate says that a file is a copy or a template, by its name. It returns "" for any other file.
func copyOrTemplate(name string) string {
	base := path.Base(name)
	base = strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.ContainsAny(base, "~(_.") && copyName().MatchString(base): // a cheap test before the expression
		return "a copy that a program left"
	case strings.Contains(strings.ToLower(base), "template") && templateName().MatchString(base):
		return "a template"
	}
	return ""
}

var (
	// copyName matches names that Dropbox, Nextcloud, Seafile, Syncthing, git mergetool and editors give to copies.
	copyName = lazyregexp.New(`(?i)^~\$|~$|\((.* )?conflicted copy\b.*\)|\((SF)?Conflict\b[^)]*\)$|` +
		`\.sync-conflict-\d|._(BACKUP|BASE|LOCAL|REMOTE)_\d+$`)
	// templateName matches template, 0000-template, adr-template and adr-template-minimal.
	templateName = lazyregexp.New(`(?i)^_?(\d+[-_ ])?((adr|madr|rfc|decision)[-_ ])?template([-_ ](bare|minimal|short|long|full))*$`)
)

// CheckPlaces checks entries of documents.folders in the repository at root, a path without symbolic links. The error
// is a *[ConfigError] for the first invalid entry.
func CheckPlaces(root string, folders []string) error {
	_, err := placesOf(root, folders)
	return err
}

func placesOf(root string, folders []string) ([]place, error) {
	var list []place
	for i, given := range folders {
		pattern, problem := placePattern(given)
		if problem == "" && !isPattern(given) {
			problem = linkProblem(root, pattern)
		}
		if problem != "" {
			return nil, &ConfigError{
				Path: configFile(root), Key: fmt.Sprintf("documents.folders[%d]", i),
				Problem: fmt.Sprintf("is %q, which %s", given, problem),
				Hint:    `Name a folder or a file of the repository, or a pattern for several, for example "packages/*/docs".`,
			}
		}
		if pattern == "." {
			pattern = "**"
		}
		list = append(list, place{pattern: pattern})
	}
	return list, nil
}

// loadPlaces checks documents.folders and returns its places. The error is a *ConfigError.
func (p *Project) loadPlaces() (places, error) {
	list, err := placesOf(p.Root, p.Config.Documents.Folders)
	if err != nil || len(list) == 0 {
		return places{}, err
	}
	if problem := linkProblem(p.Root, p.docsDir); problem != "" {
		return places{}, p.configError("documents.folder",
			fmt.Sprintf("is %q, which %s", p.docsDir, problem), "Name the folder itself.")
	}
	return places{list: list, git: relativePaths(p.Root, gitFolders(p.Root)), withRules: p.Config.Rules}, nil
}

// placePattern returns the pattern of an entry of documents.folders, or what is wrong with the entry.
func placePattern(given string) (pattern, problem string) {
	pattern = norm.NFC.String(path.Clean(given))
	switch {
	case path.IsAbs(given) || filepath.IsAbs(given):
		return "", "is an absolute path"
	case strings.Contains(given, `\`):
		return "", `has \ where / belongs`
	case pattern == ".." || strings.HasPrefix(pattern, "../"):
		return "", "leads out of the repository"
	case contain.Hidden(pattern):
		return "", "is hidden, and hidden files are not indexed"
	case alternatives(pattern) > maxAlternatives:
		return "", "has too many alternatives"
	}
	for part := range strings.SplitSeq(pattern, "/") {
		if !doublestar.ValidatePattern(part) {
			return "", "is not a valid pattern"
		}
	}
	return pattern, ""
}

func isPattern(given string) bool { return strings.ContainsAny(given, "*?[{") }

// linkProblem says that a folder is a symbolic link, or returns "". A walk of the repository follows no such link.
func linkProblem(root, folder string) string {
	target, _, err := resolveInside(root, folder)
	if err != nil || target == folder {
		return ""
	}
	return "is a symbolic link to " + target
}

// besideExternal makes sure that no file is both a document of a place and external. The error is a *ConfigError.
func (p *Project) besideExternal() error {
	if p.external == nil || p.external.RelDir == "" {
		return nil
	}
	p.places.external = p.external.RelDir
	for i, place := range p.places.list {
		if place.pattern == p.places.external || place.pattern == "**" && p.places.external == "." {
			return p.externalError("path", fmt.Sprintf("is %q, which documents.folders has too", p.external.Path),
				"Remove it from one of the two: documents are the project's own, external docs are reference material.")
		}
		p.places.list[i].inExternal = contains(p.places.external, place.base())
	}
	p.external.ownPlaces = p.places
	return nil
}
