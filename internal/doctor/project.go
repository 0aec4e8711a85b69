package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/compound-docs/compound-docs/internal/project"
)

// checkConfig reads the configuration and the schemas that it names.
func checkConfig(_ context.Context, e *examination) []Finding {
	loaded, err := project.Load(e.Root, e.Settings.ExternalDocsAllowed...)
	problem, ok := errors.AsType[*project.ConfigError](err)
	file := filepath.Join(e.Root, project.ConfigDir, project.ConfigFile)
	switch {
	case ok && errors.Is(err, fs.ErrNotExist) && problem.Path == file && problem.Key == "":
		return runs(Error, e.Root+" has no configuration", ours("init", e.Root)...)
	case err != nil:
		return fixFile(err, file)
	}
	e.project = loaded
	docs := loaded.DocsDir()
	if _, err := os.Stat(filepath.Join(loaded.Root, filepath.FromSlash(docs))); err != nil && docs != project.DocsFolder {
		return one(Warning, fmt.Sprintf("there is no folder %s yet, where %s has the documents", docs, loaded.ConfigPath),
			"make the folder, or correct documents.folder", []string{"mkdir", "-p", filepath.Join(loaded.Root, filepath.FromSlash(docs))})
	}
	return one(OK, fmt.Sprintf("%s; the project is %s", loaded.ConfigPath, loaded.Config.ProjectName), "")
}
