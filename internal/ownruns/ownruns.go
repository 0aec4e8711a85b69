// Package ownruns reads the commands that a repository runs itself: in workflows, the Makefile, the scripts of its
// package.json, and the shell blocks of its README. A trigger that fires on such a command is too wide. Nothing is run.
package ownruns

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
)

// maxCommands bounds the commands of a repository.
const maxCommands = 2_000

// Read returns the commands of the repository at root. It skips files that cannot be read.
func Read(root string) []trigger.Command {
	folder, err := contain.Open(root)
	if err != nil {
		return nil
	}
	defer folder.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	var all []trigger.Command
	add := func(of *contain.Root, name string, read func(content []byte) []trigger.Command) {
		file, err := of.Read(name, contain.MaxDocument)
		if err != nil {
			return
		}
		commands := read(file.Content)
		for _, c := range commands[:min(len(commands), maxCommands-len(all))] {
			c.File, c.Shell = name, trigger.Read(c.Text, "")
			all = append(all, c)
		}
	}
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		add(folder, name, ofMakefile)
	}
	add(folder, "package.json", ofPackage)
	add(folder, "README.md", ofReadme)
	for _, name := range workflowsIn(folder.Showing(".github")) {
		add(folder.Showing(".github"), name, ofWorkflow)
	}
	add(folder.Showing(".gitlab-ci.yml"), ".gitlab-ci.yml", ofWorkflow)
	return all
}

// workflowsIn returns the files of GitHub workflows, by their paths in the repository.
func workflowsIn(root *contain.Root) []string {
	const dir = ".github/workflows"
	folder, err := root.Sub(dir)
	if err != nil {
		return nil
	}
	defer folder.Close() //nolint:errcheck // a folder opened for reading has nothing to lose
	var names []string
	_ = folder.Walk(func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && (path.Ext(name) == ".yml" || path.Ext(name) == ".yaml") {
			names = append(names, path.Join(dir, name))
		}
		return err
	})
	return names
}

// ofMakefile returns the lines of recipes in a Makefile.
func ofMakefile(content []byte) []trigger.Command {
	var all []trigger.Command
	for i, line := range strings.Split(string(content), "\n") {
		if recipe, isRecipe := strings.CutPrefix(line, "\t"); isRecipe {
			all = append(all, trigger.Command{Text: strings.TrimLeft(recipe, "@-+ "), Line: i + 1})
		}
	}
	return all
}

// ofPackage returns the scripts in a package.json.
func ofPackage(content []byte) []trigger.Command {
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(content, &file) != nil {
		return nil
	}
	var all []trigger.Command
	for _, name := range slices.Sorted(maps.Keys(file.Scripts)) {
		at := bytes.Index(content, []byte(`"`+name+`"`))
		all = append(all, trigger.Command{Text: file.Scripts[name], Line: 1 + bytes.Count(content[:max(0, at)], []byte("\n"))})
	}
	return all
}

// ofReadme returns the lines in the shell blocks of a README.
func ofReadme(content []byte) []trigger.Command {
	var all []trigger.Command
	isShell, isOpen := false, false
	for i, line := range strings.Split(string(content), "\n") {
		language, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence:
			isOpen = !isOpen
			isShell = isOpen && slices.Contains([]string{"sh", "bash", "shell", "console", "zsh"}, strings.TrimSpace(language))
		case isShell:
			all = append(all, trigger.Command{Text: strings.TrimPrefix(strings.TrimSpace(line), "$ "), Line: i + 1})
		}
	}
	return all
}

// ofWorkflow returns the values of the keys run, script and before_script in a workflow of GitHub or GitLab.
func ofWorkflow(content []byte) []trigger.Command {
	var root yaml.Node
	if yaml.Unmarshal(content, &root) != nil {
		return nil
	}
	var all []trigger.Command
	var walk func(node *yaml.Node, isScript bool)
	walk = func(node *yaml.Node, isScript bool) {
		if node.Kind == yaml.ScalarNode && isScript {
			all = append(all, trigger.Command{Text: node.Value, Line: node.Line})
		}
		for i, child := range node.Content {
			isValue := node.Kind == yaml.MappingNode && i%2 == 1
			key := ""
			if isValue {
				key = node.Content[i-1].Value
			}
			walk(child, slices.Contains([]string{"run", "script", "before_script"}, key) || isScript && node.Kind == yaml.SequenceNode)
		}
	}
	walk(&root, false)
	return all
}
