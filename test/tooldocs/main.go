// Command tooldocs writes docs/tools.md and the table of tools in the README, from
// what package tools declares and from the tools' example files. It runs in the
// repository's root.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/test/toolexample"
	"github.com/compound-docs/compound-docs/tools"
)

const (
	page   = "docs/tools.md"
	readme = "README.md"
)

func main() {
	generated, err := generate(".")
	if err == nil {
		err = errors.Join(os.WriteFile(page, generated[page], 0o644), os.WriteFile(readme, generated[readme], 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tooldocs:", err)
		os.Exit(1)
	}
}

// generate returns the content of both files, of the repository at root.
func generate(root string) (map[string][]byte, error) {
	groups, err := describeTools(root)
	if err != nil {
		return nil, err
	}
	tools, err := renderPage(groups)
	if err != nil {
		return nil, err
	}
	old, err := os.ReadFile(filepath.Join(root, readme))
	if err != nil {
		return nil, err
	}
	introduction, err := renderReadme(old, groups)
	return map[string][]byte{page: tools, readme: introduction}, err
}

// group is a chapter of the page.
type group struct {
	Title string
	Tools []tool
}

func describeTools(root string) (groups []group, err error) {
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

// The README's table stands between these lines.
const (
	begin = "<!-- Tools, written by make generate. -->\n"
	end   = "<!-- End of tools. -->\n"
)

// renderReadme replaces the table of tools.
func renderReadme(old []byte, groups []group) ([]byte, error) {
	before, rest, hasBegin := strings.Cut(string(old), begin)
	_, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return nil, fmt.Errorf("%s lacks the lines %q and %q", readme, begin, end)
	}
	var table strings.Builder
	table.WriteString("| tool | for |\n|---|---|\n")
	for _, g := range groups {
		for _, t := range g.Tools {
			table.WriteString(row("`"+t.Name+"`", t.Summary) + "\n")
		}
	}
	return []byte(before + begin + "\n" + table.String() + "\n" + end + after), nil
}
