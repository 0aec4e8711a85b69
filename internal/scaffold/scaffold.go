// Package scaffold prepares a repository: it writes the configuration and folders of a new project,
// and finds the documentation that is there. It never changes a file that exists.
package scaffold

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// Options say what a new configuration is to hold.
type Options struct {
	// Documents is the folder of the project's own documents, relative to the repository; outside
	// the usual one they need no front matter. "" takes the folder that exists.
	Documents string
	// ExternalAllowed is as for [project.Load].
	ExternalAllowed []string
}

// Result names the files and folders that Write has made.
type Result struct {
	// Project is the repository's, as it is now.
	Project *project.Project
	// Kept is set if there was a configuration.
	Kept bool
	// Folders are those that were made, relative to the repository.
	Folders []string
	Counts
}

// Counts counts the markdown of a repository that had no configuration.
type Counts struct {
	// Documents and External count the files in the folders of own and external documents.
	Documents, External int
	// Loose counts the files outside a folder of documentation, which are not searched, and Vault
	// says that they are an Obsidian vault.
	Loose int
	Vault bool
}

// Write prepares the repository at root, which has no symbolic link in it. An existing
// configuration that is not valid, and a folder that cannot hold documents, is a
// *[project.ConfigError].
func Write(root string, options Options) (result Result, err error) {
	if options.Documents != "" {
		if options.Documents, err = project.DocumentsFolder(root, options.Documents); err != nil {
			return Result{}, err
		}
	}
	folder, err := contain.Open(root)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	known := findKnowledge(folder, options.Documents)
	if result.Kept, err = writeConfig(filepath.Base(root), folder.Showing(project.ConfigDir), known); err != nil {
		return Result{}, err
	}
	if result.Project, err = project.Load(root, options.ExternalAllowed...); err != nil {
		return Result{}, err
	}
	if !result.Kept {
		result.Counts = known.Counts
	} else if err := checkKept(result.Project, options.Documents); err != nil {
		return Result{}, err
	}
	result.Folders, err = makeFolders(folder, result.Project)
	return result, err
}

// checkKept refuses another folder of documents than an existing configuration names.
func checkKept(p *project.Project, wanted string) error {
	if wanted == "" || wanted == p.DocsDir() {
		return nil
	}
	return &project.ConfigError{
		Path: p.ConfigPath, Key: "documents.folder", Problem: fmt.Sprintf("is %q already, not %q", p.DocsDir(), wanted),
		Hint: fmt.Sprintf(
			`A configuration that is there is not changed: write "documents": {"folder": %q, "lenient": true} into it.`, wanted),
	}
}

// makeFolders makes the folder of the documents, with one for each doc-type unless the project is lenient.
func makeFolders(folder *contain.Root, p *project.Project) (made []string, err error) {
	names := []string{p.DocsDir()}
	if !p.Lenient() {
		names = nil
		for _, docType := range p.DocTypes() {
			names = append(names, path.Join(p.DocsDir(), docType.Folder))
		}
	}
	const readable = 0o755
	for _, name := range names {
		if _, _, err := folder.Resolve(name); err == nil {
			continue
		}
		if err := folder.MkdirAll(name, readable); err != nil {
			return nil, fmt.Errorf("make the folders of the documents: %w", err)
		}
		made = append(made, name)
	}
	return made, nil
}

// config holds the keys of a new configuration.
type config struct {
	ProjectName  string        `json:"project_name"`
	Documents    *documents    `json:"documents,omitempty"`
	ExternalDocs *externalDocs `json:"external_docs,omitempty"`
}

type documents struct {
	Folder  string `json:"folder"`
	Lenient bool   `json:"lenient"`
}

type externalDocs struct {
	Path  string `json:"path"`
	AsOwn bool   `json:"as_own,omitempty"`
}

// writeConfig writes a configuration, unless there is one.
func writeConfig(repository string, folder *contain.Root, known knowledge) (kept bool, err error) {
	const readable, file = 0o755, 0o644
	if err := folder.MkdirAll(project.ConfigDir, readable); err != nil {
		return false, fmt.Errorf("make the folder of the configuration: %w", err)
	}
	c := config{ProjectName: ProjectName(repository)}
	if known.own != "" {
		c.Documents = &documents{Folder: known.own, Lenient: true}
	}
	if known.external != "" {
		c.ExternalDocs = &externalDocs{Path: "./" + known.external, AsOwn: known.asOwn}
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return false, fmt.Errorf("write the configuration: %w", err)
	}
	name := path.Join(project.ConfigDir, project.ConfigFile)
	switch err = folder.Create(name, append(text, '\n'), file); {
	case errors.Is(err, fs.ErrExist):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("write the configuration: %w", err)
	}
	return false, nil
}

// ProjectName makes a project's name of a folder's: a letter, then small letters, digits and hyphens.
func ProjectName(folder string) string {
	var name strings.Builder
	for _, r := range strings.ToLower(folder) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			name.WriteRune(r)
		case !strings.HasSuffix(name.String(), "-"):
			name.WriteByte('-')
		}
	}
	fits := strings.Trim(name.String(), "-")
	switch {
	case fits == "":
		return "my-project"
	case fits[0] >= '0' && fits[0] <= '9':
		return "project-" + fits
	}
	return fits
}
