package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
)

func checkConfig(_ context.Context, e *examination) []Finding {
	problem, ok := errors.AsType[*project.ConfigError](e.projectErr)
	file := filepath.Join(e.Root, project.ConfigDir, project.ConfigFile)
	isConfig := ok && problem.Path == file && problem.Key == ""
	switch {
	case isConfig && errors.Is(problem, fs.ErrNotExist) && !project.InRepository(e.Root):
		return one(Error, e.Root+" is in no repository, and has no configuration",
			"go to a repository, or name one with --project; `compound-docs init DIR` prepares one")
	case isConfig && errors.Is(problem, fs.ErrNotExist):
		return one(Error, e.Root+" has no configuration", command(clients.ServerName, "init", e.Root))
	case isConfig && errors.Is(problem, contain.ErrNotRegular):
		return one(Error, problem.Error(), command("mv", file, file+".former")+" && "+
			clients.QuoteLine([]string{clients.ServerName, "init", e.Root}))
	case e.projectErr != nil:
		return fixFile(e.projectErr)
	}
	loaded, docs := e.project, e.project.DocsDir()
	folder := filepath.Join(loaded.Root, filepath.FromSlash(docs))
	if _, err := os.Stat(folder); err != nil && docs != project.DocsFolder {
		return one(Warning, fmt.Sprintf("there is no folder %s yet, where %s has the documents", docs, loaded.ConfigPath),
			command("mkdir", "-p", folder)+", or correct documents.folder")
	}
	return one(OK, fmt.Sprintf("%s; the project is %s", loaded.ConfigPath, loaded.Config.ProjectName), "")
}

// checkClients finds registrations whose program no longer exists.
func checkClients(_ context.Context, e *examination) []Finding {
	var findings []Finding
	for _, r := range clients.Registered(e.Root) {
		if r.Missing() {
			findings = append(findings, one(Warning, fmt.Sprintf("%s starts %s, which is not there", r.File, r.Command),
				"run: ${EDITOR:-vi} "+clients.Quote(r.File)+" and write "+clients.Program()+" instead, or put its folder on the PATH")...)
		}
	}
	if findings == nil {
		return one(OK, "the programs that assistants start here are there", "")
	}
	return findings
}

func checkSettings(_ context.Context, e *examination) []Finding {
	file := settingsFile(e)
	if e.SettingsErr != nil {
		return fixFile(e.SettingsErr)
	}
	const others = 0o077
	info, err := os.Stat(file)
	if err == nil && info.Mode().Perm()&others != 0 && e.Settings.DatabaseURL != "" && runtime.GOOS != "windows" {
		return one(Warning, "others can read the address of the database in "+file, command("chmod", "600", file))
	}
	return one(OK, file+", or the defaults where it sets nothing", "")
}

// fixFile returns a finding about an error in a file that people edit.
func fixFile(err error) []Finding {
	problem, ok := errors.AsType[*project.ConfigError](err)
	switch {
	case !ok:
		return one(Error, err.Error(), "correct it")
	case errors.Is(problem, fs.ErrPermission):
		return one(Error, err.Error(), "as its owner "+command("chmod", "u+rwX", problem.Path))
	}
	return one(Error, err.Error(), "run: ${EDITOR:-vi} "+clients.Quote(problem.Path)+" and correct it. "+problem.Hint)
}

func settingsFile(e *examination) string { return filepath.Join(e.Home, project.SettingsFile) }
