package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
)

// errNoProject is wrapped in the error of a command that needs a project and finds none.
var errNoProject = errors.New("no project found")

// findProject returns the first folder with a project's config, from dir upwards, or an error that wraps errNoProject.
func findProject(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find project: %w", err)
	}
	if info, err := os.Stat(start); err != nil || !info.IsDir() {
		return "", usagef("%w: %s is not a folder; correct --project or CLAUDE_PROJECT_DIR", errNoProject, start)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		// A damaged config counts too. Loading the project will fail with an error that says what is wrong.
		_, err := os.Lstat(filepath.Join(dir, project.ConfigDir, project.ConfigFile))
		switch {
		case err == nil, errors.Is(err, syscall.ENOTDIR):
			return dir, nil
		case !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir):
			return "", usagef("%w: %s and the folders above it have no %s/%s; %s",
				errNoProject, start, project.ConfigDir, project.ConfigFile, howToBegin(start))
		}
	}
}

// howToBegin tells the user how to configure a folder. Outside a repository it does not suggest to configure the
// folder itself, because the folder may be the user's home.
func howToBegin(folder string) string {
	root, err := project.FindRoot(folder)
	if err != nil || !project.InRepository(root) {
		return "go to a repository, or name one with --project; `compound-docs init DIR` prepares one"
	}
	return "`compound-docs init " + clients.Quote(root) + "` prepares this repository"
}

// nameParent prints a note if root lies above the repository of start. The user may expect a project in the repository.
func (i invocation) nameParent(start, root string) {
	repository, err := project.FindRoot(start)
	resolved, rootErr := filepath.EvalSymlinks(root)
	if err != nil || rootErr != nil || repository == resolved {
		return
	}
	name, err := project.NameAt(resolved)
	if err != nil {
		return // the command itself reports the error
	}
	i.notef("answers are from the project %s in %s; to have one for this repository: compound-docs init %s",
		name, root, clients.Quote(repository))
}

// loadHere loads the project that contains the folder of --project, or else the working directory.
func (i invocation) loadHere() (*project.Project, error) {
	o, err := i.flags.resolve()
	if err != nil {
		return nil, err
	}
	root, err := findProject(o.project)
	if err != nil {
		return nil, err
	}
	i.nameParent(o.project, root)
	return o.settings.Load(root)
}
