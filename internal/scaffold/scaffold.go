// Package scaffold prepares a repository: it writes the configuration and the folders of
// a project that has none, and finds the documentation that is already there. It never
// changes a file or a folder that exists.
package scaffold

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/project"
)

// Result names the files and folders that Write has made.
type Result struct {
	// Project is the repository's, as it is now.
	Project *project.Project
	// Kept is set if there was a configuration.
	Kept bool
	// Folders are those that were made, relative to the repository.
	Folders []string
	// Documents is how many files External has, where the configuration is new.
	Documents int
}

// Write prepares the repository at root, which has no symbolic link in it. It never
// writes outside of it. An existing configuration that is not valid is a
// *[project.ConfigError].
func Write(root string, externalAllowed ...string) (result Result, err error) {
	folder, err := os.OpenRoot(root)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	result.Kept, result.Documents, err = writeConfig(root, folder)
	if err != nil {
		return Result{}, err
	}
	if result.Project, err = project.Load(root, externalAllowed...); err != nil {
		return Result{}, err
	}
	const readable = 0o755
	for _, docType := range result.Project.DocTypes() {
		name := path.Join(project.DocsFolder, docType.Folder)
		if _, err := folder.Stat(name); err == nil {
			continue
		}
		if err := folder.MkdirAll(name, readable); err != nil {
			return Result{}, fmt.Errorf("make the folders of the documents: %w", err)
		}
		result.Folders = append(result.Folders, name)
	}
	return result, nil
}

// config holds the keys of a new configuration.
type config struct {
	ProjectName  string        `json:"project_name"`
	ExternalDocs *externalDocs `json:"external_docs,omitempty"`
}

type externalDocs struct {
	Path string `json:"path"`
}

// writeConfig writes a configuration, unless there is one. documents is the number of
// files of the documentation that it has found.
func writeConfig(root string, folder *os.Root) (kept bool, documents int, err error) {
	const readable, file = 0o755, 0o644
	if err := folder.MkdirAll(project.ConfigDir, readable); err != nil {
		return false, 0, fmt.Errorf("make the folder of the configuration: %w", err)
	}
	c := config{ProjectName: ProjectName(filepath.Base(root))}
	external, documents := findDocs(root)
	if external != "" {
		c.ExternalDocs = &externalDocs{Path: "./" + external}
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return false, 0, fmt.Errorf("write the configuration: %w", err)
	}
	name := path.Join(project.ConfigDir, project.ConfigFile)
	created, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file)
	if errors.Is(err, fs.ErrExist) {
		return true, 0, nil
	}
	if err != nil {
		return false, 0, fmt.Errorf("write the configuration: %w", err)
	}
	_, err = created.Write(append(text, '\n'))
	return false, documents, errors.Join(err, created.Close())
}

// ProjectName makes the name of a folder fit what a project may be called: a letter
// first, then small letters, digits and hyphens.
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
