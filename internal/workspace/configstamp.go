package workspace

import (
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/watch"
)

// outdated reports whether the project must be activated again, on another branch
// or with another config.
func (p *Project) outdated() bool {
	return p.moved() || p.reconfigured()
}

// reconfigured reports whether the config in force may not be the one on disk: the config
// or a file that it names has changed since the activation, or the config has an error. It
// does so at every call until the project is activated again with what is on disk.
func (p *Project) reconfigured() bool {
	p.mu.Lock()
	problem := p.configProblem
	p.mu.Unlock()
	return problem != nil || stampConfig(p.Definition) != p.stamp
}

func (p *Project) setConfigProblem(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.configProblem = err
}

// configStamp identifies a state of the config and its schemas.
type configStamp string

func stampConfig(p *project.Project) configStamp {
	root, err := contain.Open(p.Root)
	if err != nil {
		return configStamp(err.Error())
	}
	defer root.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	shown := root.Showing(project.ConfigDir)
	var stamp strings.Builder
	stamp.WriteString(stampFile(shown, path.Join(project.ConfigDir, project.ConfigFile)))
	for _, docType := range p.DocTypes() {
		if docType.Custom && docType.Schema != "" {
			stamp.WriteString(stampFile(shown, path.Join(p.DocsDir(), docType.Schema)))
		}
	}
	if external, ok := p.External(); ok {
		stamp.WriteString(docsTarget(p))
		if info, err := os.Stat(external.Dir); err != nil || !info.IsDir() {
			stamp.WriteString("external folder missing")
		}
	}
	return configStamp(stamp.String())
}

func stampFile(root *contain.Root, name string) string {
	_, info, err := root.Follow(name)
	if err != nil {
		return name + ": missing\n"
	}
	return fmt.Sprintf("%s: %+v\n", name, watch.StampOf(info))
}
