package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/watch"
)

// outdated reports whether the project must be activated again, on another branch
// or with another config.
func (p *Project) outdated() bool {
	return p.moved() || p.reconfigured()
}

// reconfigured reports whether the config or a schema has changed since the last
// call.
func (p *Project) reconfigured() bool {
	stamp := stampConfig(p.Definition)
	p.mu.Lock()
	unchanged := stamp == p.stamp
	p.stamp = stamp
	p.mu.Unlock()
	return !unchanged
}

// forgetConfig makes the project count as outdated until it is activated again.
func (p *Project) forgetConfig() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stamp = ""
}

func (p *Project) setConfigProblem(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.configProblem = err
}

// configStamp identifies a state of the config and its schemas.
type configStamp string

func stampConfig(p *project.Project) configStamp {
	var stamp strings.Builder
	stamp.WriteString(stampFile(p.ConfigPath))
	for _, docType := range p.DocTypes() {
		if docType.Custom && docType.Schema != "" {
			stamp.WriteString(stampFile(filepath.Join(p.Root, filepath.FromSlash(p.DocsDir()), filepath.FromSlash(docType.Schema))))
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

func stampFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path + ": missing\n"
	}
	return fmt.Sprintf("%s: %+v\n", path, watch.StampOf(info))
}
