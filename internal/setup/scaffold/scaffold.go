// Package scaffold prepares a repository. It finds the markdown in it, and writes a configuration that makes this
// markdown the documents of a new project.
package scaffold

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// Result says what Write has made and found.
type Result struct {
	Project *project.Project // the project with the written configuration
	// Kept says that there was already a configuration. Changed says that Write has added wanted documents to it.
	Kept, Changed bool
	// Places are the places of the project's documents.
	Places []FolderCount
	// Further are places with markdown outside the documents. The user can add them as wanted documents.
	Further []string
	// LeftOut are files and folders with texts that Write neither takes as documents nor lists in Further.
	LeftOut []LeftOut
}

// FolderCount counts the documents in an entry of documents.folders, a key of the configuration, or in the folder of
// new documents.
type FolderCount struct {
	Place string
	Files int
}

// LeftOut is a file or a folder that is not among the documents, with the reason.
type LeftOut struct {
	Path string
	Why  string
}

// Write prepares the repository at root, a path without symbolic links. wanted are folders, files and patterns for the
// project's documents. If wanted is empty, a new configuration takes all markdown, and an existing configuration stays
// as it is. externalAllowed is for [project.Load]. An invalid configuration causes a *[project.ConfigError].
func Write(root string, wanted, externalAllowed []string) (Result, error) {
	if err := project.CheckPlaces(root, wanted); err != nil {
		return Result{}, err
	}
	folder, err := contain.Open(root)
	if err != nil {
		return Result{}, err
	}
	defer folder.Close() //nolint:errcheck // each write says whether it succeeded
	var result Result
	if err := result.writeConfig(root, folder, wanted, externalAllowed); err != nil {
		return Result{}, err
	}
	result.Project, err = project.Load(root, externalAllowed...)
	if err != nil {
		return Result{}, err
	}
	named := append(slices.Clone(result.Project.Config.Documents.Folders), result.Project.DocsDir())
	result.count(takeSurvey(folder, project.Exclusions(root, named)))
	return result, nil
}

// count fills in Places, Further and LeftOut from a survey.
func (r *Result) count(found survey) {
	files := map[string]int{}
	var others []string
	for _, name := range found.markdown {
		place, ok := r.Project.PlaceOf(name)
		external, hasExternal := r.Project.External()
		why := project.LeftOut(name)
		switch {
		case ok:
			files[place]++
		case hasExternal && external.Has(name):
		case why != "":
			found.leftOut = append(found.leftOut, LeftOut{name, why})
		default:
			others = append(others, name)
		}
	}
	for _, place := range r.Project.Places() {
		if place != r.Project.DocsDir() || files[place] > 0 {
			r.Places = append(r.Places, FolderCount{place, files[place]})
		}
	}
	r.Further, r.LeftOut = topPlaces(others), found.leftOut
}

// config holds the keys of a new configuration.
type config struct {
	ProjectName string     `json:"project_name"`
	Documents   *documents `json:"documents,omitempty"`
}

type documents struct {
	Folder  string   `json:"folder,omitempty"`
	Folders []string `json:"folders,omitempty"`
	Lenient bool     `json:"lenient,omitempty"`
}

var configName = path.Join(project.ConfigDir, project.ConfigFile)

// writeConfig writes a configuration. If there is already one, it only adds places to documents.folders.
func (r *Result) writeConfig(root string, folder *contain.Root, wanted, externalAllowed []string) error {
	shown := folder.Showing(project.ConfigDir)
	text, err := json.MarshalIndent(newConfig(root, folder, wanted), "", "  ")
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	err = shown.Create(configName, append(text, '\n'), 0o644)
	if errors.Is(err, fs.ErrExist) {
		r.Kept = true
		return r.changeConfig(root, shown, wanted, externalAllowed)
	}
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// newConfig returns the configuration of a repository. The documents are the wanted places, or else all markdown. If
// the compound-engineering plugin has written documents in docs/solutions, new documents go there too.
func newConfig(root string, folder *contain.Root, wanted []string) config {
	const solutions = "docs/solutions"
	found := takeSurvey(folder, project.Exclusions(root, nil))
	isIn := func(home string) func(name string) bool {
		return func(name string) bool { return strings.HasPrefix(name, home+"/") }
	}
	d := documents{Lenient: !folder.Exists(project.DocsFolder)}
	home := project.DocsFolder
	if d.Lenient && slices.ContainsFunc(found.markdown, isIn(solutions)) {
		d.Folder, home = solutions, solutions
	}
	known := slices.DeleteFunc(slices.Clone(found.markdown), isIn(home))
	isDocument := func(name string) bool { return project.LeftOut(name) == "" || project.IsNestedInstruction(name) }
	switch {
	case len(wanted) > 0:
		d.Folders = cleaned(wanted)
	case slices.ContainsFunc(known, isDocument):
		d.Folders = []string{"."}
	}
	c := config{ProjectName: ProjectName(filepath.Base(root))}
	if len(d.Folders) > 0 || d.Folder != "" {
		c.Documents = &d
	}
	return c
}

// cleaned returns the wanted places as entries for documents.folders, without the folder that every project has.
func cleaned(wanted []string) []string {
	var folders []string
	for _, name := range wanted {
		name = path.Clean(filepath.ToSlash(name))
		if name != project.DocsFolder {
			folders = append(folders, name)
		}
	}
	return folders
}

// changeConfig adds the wanted places to an existing configuration. If the result is not valid, it undoes the change.
func (r *Result) changeConfig(root string, shown *contain.Root, wanted, externalAllowed []string) error {
	p, err := project.Load(root, externalAllowed...)
	if err != nil {
		return err
	}
	given := p.Config.Documents.Folders
	added := slices.DeleteFunc(cleaned(wanted), func(name string) bool { return slices.Contains(p.Places(), name) })
	if len(added) == 0 {
		return nil
	}
	before, err := shown.Read(configName, contain.MaxConfig)
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	changed, err := withFolders(before.Content, append(slices.Clone(given), added...))
	if err != nil {
		return err
	}
	if err := shown.Replace(configName, before.Content, changed); err != nil {
		return fmt.Errorf("change the configuration: %w", err)
	}
	if _, err := project.Load(root, externalAllowed...); err != nil {
		return errors.Join(err, shown.Replace(configName, changed, before.Content))
	}
	r.Changed = true
	return nil
}

// withFolders returns the text of a configuration with documents.folders set. In the rest, only white space changes.
func withFolders(text []byte, folders []string) ([]byte, error) {
	value, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	added, err := json.Marshal(folders)
	if err != nil {
		return nil, fmt.Errorf("write the places: %w", err)
	}
	at := "/documents/folders"
	if value.Find("/documents") == nil {
		at, added = "/documents", fmt.Appendf(nil, `{"folders": %s}`, added)
	}
	if err := value.Patch(fmt.Appendf(nil, `[{"op": "add", "path": %q, "value": %s}]`, at, added)); err != nil {
		return nil, fmt.Errorf("add the places: %w", err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, value.Pack(), "", "  "); err != nil {
		return nil, fmt.Errorf("indent the configuration: %w", err)
	}
	return indented.Bytes(), nil
}

// ProjectName turns the name of a folder into a valid project name: a small letter, then small letters, digits and
// hyphens.
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
