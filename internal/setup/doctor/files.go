package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// maxNamed bounds the findings of one kind.
const maxNamed = 5

// checkFiles reads and parses every file as the index does.
func checkFiles(ctx context.Context, e *examination) []Finding {
	if e.project == nil {
		return one(Skipped, "there is no valid configuration", "")
	}
	var findings []Finding
	files, collection, schema := 0, catalog.Compounding, index.Schema(e.project)
	e.unindexed = map[string]bool{}
	inUse := map[string]bool{} // places with a file
	left := leftOut{}
	folders, sources := workspace.Folders(e.project), e.project.Sources()
	var found []string // of each source
	for i, folder := range folders {
		before := files
		err := folder.ReadAll(ctx, func(file document.File, err error) {
			files++
			place, _ := e.project.PlaceOf(file.Path)
			inUse[place] = true
			err = indexable(file, err, collection, schema)
			switch {
			case errors.Is(err, document.ErrChanged):
			case errors.Is(err, document.ErrLeftOut):
				files--
				left.add(file.Path, "a template")
			case err != nil:
				e.unindexed[file.Path] = true
				if len(e.unindexed) <= maxNamed {
					findings = append(findings, e.unindexedFile(file, err)...)
				}
			case len(findings) < maxNamed:
				findings = append(findings, e.halfReadable(file)...)
			}
		})
		if err != nil {
			return one(Error, err.Error(), "")
		}
		if at := i - len(folders) + len(sources); at >= 0 {
			found = append(found, fmt.Sprintf("%s (%s): %d", sources[at].Name, folder.Dir, files-before))
			continue
		}
		err = e.passedOver(ctx, folder, collection, left)
		if err != nil {
			return one(Error, err.Error(), "")
		}
		collection, schema = catalog.External, nil // the second folder
	}
	if more := len(e.unindexed) - maxNamed; more > 0 {
		findings = append(findings,
			one(Warning, fmt.Sprintf("%d more files or folders are not indexed", more), "run: compound-docs lint")...)
	}
	findings = append(findings, e.emptyPlaces(inUse)...)
	switch {
	case len(findings) > 0:
	case files == 0:
		findings = one(OK, "there is no document to search yet in "+e.project.PlacesText()+
			"; compound-docs init names markdown elsewhere", "")
	default:
		findings = one(OK, fmt.Sprintf("all %d files can be indexed", files), "")
	}
	if len(found) > 0 {
		findings = append(findings, one(OK, "files of sources: "+strings.Join(found, ", "), "")...)
	}
	return append(findings, left.findings()...)
}

// emptyPlaces names the entries of documents.folders that are not in use.
func (e *examination) emptyPlaces(inUse map[string]bool) []Finding {
	var findings []Finding
	for _, place := range e.project.Config.Documents.Folders {
		if !inUse[place] {
			findings = append(findings, one(Warning, "there is no markdown in "+place+", which documents.folders names",
				"run: ${EDITOR:-vi} "+clients.Quote(e.project.ConfigPath)+" and correct or remove it")...)
		}
	}
	return findings
}

// indexable returns why a file is not indexed: err, or what its text says.
func indexable(file document.File, err error, collection catalog.Collection, schema index.Schema) error {
	if err != nil {
		return err
	}
	_, err = index.Dissect(file, collection, schema)
	return err
}

func (e *examination) unindexedFile(file document.File, err error) []Finding {
	path := e.absolute(file.Path)
	switch encoding := document.Encoding(file.Content); {
	case errors.Is(err, fs.ErrPermission):
		return fixAccess(file.Path+" is not indexed: permission denied", path, "move it out of the folder")
	case encoding != "":
		return one(Warning, file.Path+" is not indexed: it is "+encoding+", not UTF-8", "run: "+document.Recode(encoding, path))
	}
	what, fix := err.Error(), "correct the file, or move it out of the folder"
	if before, after, ok := strings.Cut(what, "; "); ok && strings.HasPrefix(what, "line ") {
		what, fix = before, after
	}
	return one(Warning, file.Path+" is not indexed: "+what, fix)
}

// halfReadable says what is wrong with a file that is indexed all the same.
func (e *examination) halfReadable(file document.File) []Finding {
	path := e.absolute(file.Path)
	if encoding := document.Encoding(file.Content); encoding != "" {
		return one(Warning, fmt.Sprintf("%s is %s, not UTF-8: words with other letters than a to z are not found", file.Path, encoding),
			"run: "+document.Recode(encoding, path))
	}
	if line := project.ConflictLine(file.Content); line > 0 {
		return one(Warning, fmt.Sprintf("%s is found with both sides of a merge conflict, from line %d on", file.Path, line),
			"run: ${EDITOR:-vi} "+clients.Quote(path)+" and keep one side")
	}
	return nil
}

// absolute returns the absolute path for a path of the index.
func (e *examination) absolute(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.project.Root, path)
}

// untrustedBy returns why git does not read a repository, or nil.
func untrustedBy(ctx context.Context, root string) *history.UntrustedError {
	folder, err := history.Open(root)
	if err != nil {
		return nil //nolint:nilerr // there is no repository
	}
	_, err = folder.Head(ctx)
	untrusted, _ := errors.AsType[*history.UntrustedError](err)
	return untrusted
}

// crashedGit is the age from which git's lock is worth a warning: a running git holds it for moments.
const crashedGit = time.Minute

// checkGit looks at the checked-out branch, and for the lock of a crashed git.
func checkGit(ctx context.Context, e *examination) []Finding {
	head, err := project.Head(e.Root)
	if err != nil {
		what, fix, ok := strings.Cut(err.Error(), "; ")
		if !ok {
			fix = "run: git -C " + clients.Quote(e.Root) + " status"
		}
		return one(Error, what, fix)
	}
	if !head.InRepository {
		return one(OK, e.Root+" is not in a git repository; it is indexed as one branch", "")
	}
	if _, err := exec.LookPath("git"); err != nil {
		return one(Warning, "git is not installed: stale documents cannot be found",
			"install git, so that it is on the PATH: https://git-scm.com/downloads")
	}
	if untrusted := untrustedBy(ctx, e.Root); untrusted != nil {
		what, fix, _ := strings.Cut(untrusted.Error(), "; ")
		return one(Warning, what, fix)
	}
	lock, since, err := head.Lock()
	switch {
	case err != nil:
		return fixAccess(err.Error(), lock, "")
	case since.IsZero() || time.Since(since) < crashedGit:
		return one(OK, "branch "+head.Branch, "")
	}
	age := time.Since(since).Round(time.Second)
	effect := fmt.Sprintf("indexing waits until it is %d minutes old", int(workspace.MaxLockAge.Minutes()))
	if age >= workspace.MaxLockAge {
		effect = "indexing goes on"
	}
	return one(Warning,
		fmt.Sprintf("a git that crashed has left index.lock, %s old: git refuses to work, and %s", age, effect),
		"run: rm "+clients.Quote(lock)+", after you have made sure that no git runs there")
}
