// Package page writes the documents of a project as one HTML file, in which people search and read
// them. The file needs no other file and no network. The package shows what docset, lint and recall
// have read. It must not know the database, models or MCP.
package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/lint"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/recall"
)

// The libraries are the files that their authors published on npm; see lib.
var (
	//go:embed page.html
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
	//go:embed graph.js
	graphScript string
	//go:embed lib/minisearch.js
	minisearch string
	//go:embed lib/d3-dispatch.js
	d3Dispatch string
	//go:embed lib/d3-quadtree.js
	d3Quadtree string
	//go:embed lib/d3-timer.js
	d3Timer string
	//go:embed lib/d3-force.js
	d3Force string
)

// Write writes the page of a project, from its files, git, and what recall has kept of it.
func Write(ctx context.Context, w io.Writer, p *project.Project, recalls *recall.Store) error {
	set, err := docset.Read(ctx, p)
	if err != nil {
		return err
	}
	report, err := lint.Check(ctx, p, set)
	if err != nil {
		return err
	}
	shown, err := readShown(recalls, p.Root)
	if err != nil {
		return err
	}
	return write(w, content{
		Project: p.Config.ProjectName, Made: time.Now().Format(time.DateOnly),
		Documents: entries(ctx, p, set), Findings: report.Findings, Notes: report.Notes,
		Questions: readQuestions(recalls, p.Root), Shown: shown,
	})
}

// write writes the page of a content.
func write(w io.Writer, c content) error {
	parsed, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("read the page's template: %w", err)
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		return fmt.Errorf("encode the documents: %w", err)
	}
	search, _, _ := strings.Cut(minisearch, "//# sourceMappingURL") // a browser's tools would fetch it
	scripts := []template.JS{}
	for _, script := range []string{search, d3Dispatch, d3Quadtree, d3Timer, d3Force, graphScript, pageScript} {
		scripts = append(scripts, template.JS(script)) //nolint:gosec // the program's own
	}
	err = parsed.Execute(w, map[string]any{
		"Title": c.Project, "Policy": policy(scripts), "Scripts": scripts,
		"Style": template.CSS(pageStyle), //nolint:gosec // the program's own
		// Without a "<", no text can end the element that holds it.
		"Content": template.JS(strings.ReplaceAll(encoded.String(), "<", `\u003c`)), //nolint:gosec // as said
	})
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// policy allows the page's own scripts and style, and nothing else that could run or be loaded.
func policy(scripts []template.JS) string {
	hashes := []string{}
	for _, script := range scripts {
		hashes = append(hashes, hash(string(script)))
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hash(pageStyle) +
		"; script-src " + strings.Join(hashes, " ")
}

// hash returns the source of a policy that allows a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
