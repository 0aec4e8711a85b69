// Command tooldocs writes docs/tools.md, from what package tools declares and from the tools'
// example files. It runs in the repository's root.
package main

import (
	"fmt"
	"os"

	"github.com/compound-docs/compound-docs/test/toolexample"
	"github.com/compound-docs/compound-docs/tools"
)

const page = "docs/tools.md"

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "tooldocs:", err)
		os.Exit(1)
	}
}

func write() error {
	content, err := generate(".")
	if err != nil {
		return err
	}
	return os.WriteFile(page, content, 0o644)
}

// generate returns the content of the page, of the repository at root.
func generate(root string) ([]byte, error) {
	groups, err := describeTools(root)
	if err != nil {
		return nil, err
	}
	return renderPage(groups)
}

// group is a chapter of the page.
type group struct {
	Title string
	Tools []tool
}

func describeTools(root string) ([]group, error) {
	var groups []group
	for _, declared := range tools.Groups() {
		g := group{Title: declared.Title}
		for _, d := range declared.Tools {
			example, err := toolexample.Read(root, d.Name)
			if err != nil {
				return nil, err
			}
			g.Tools = append(g.Tools, tool{Tool: d.Tool, File: example})
		}
		groups = append(groups, g)
	}
	return groups, nil
}
