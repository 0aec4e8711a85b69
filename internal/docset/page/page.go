// Package page writes the documents of a project as one HTML file, in which people search and read without a network.
// It shows the results of the packages docset, lint and hooks. It must not know the database, models or MCP.
package page

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/docset/lint"
	"github.com/compound-docs/compound-docs/internal/hooks"
	"github.com/compound-docs/compound-docs/internal/project"
)

// files has the parts of the page. The files in lib are libraries as their authors published them on npm.
//
//go:embed page.html page.css *.js lib/*.js
var files embed.FS

// scripts are in the order in which the page runs them.
var scripts = []string{
	"lib/highlight.js", "documents.js", "search.js", "list.js", "reader.js", "home.js", "graph.js", "views.js",
	"app.js", "page.js",
}

// Write writes the page of a project, from its files, from git, and from the records that hooks keep.
func Write(ctx context.Context, w io.Writer, p *project.Project, recalls *hooks.Store) error {
	set, err := docset.Read(ctx, p)
	if err != nil {
		return err
	}
	report, err := lint.Run(ctx, p, set)
	if err != nil {
		return err
	}
	all, err := recalls.Shown(p.Root)
	if err != nil {
		return err
	}
	times := map[string]int{}
	for _, shown := range all {
		times[shown.Path]++
	}
	c := content{
		Project: p.Config.ProjectName, Made: time.Now().Format(time.DateOnly),
		Findings: report.Findings, Notes: report.Notes, Questions: recalls.Questions(p.Root), Shown: times,
	}
	external, err := docset.ReadExternal(ctx, p)
	if err != nil {
		return err
	}
	if err := c.fill(ctx, p, set, external); err != nil {
		return err
	}
	return write(w, c)
}

func write(w io.Writer, c content) error {
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		return fmt.Errorf("encode the documents: %w", err)
	}
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " +
		hash(part("page.css")) + "; script-src"
	texts := []template.JS{}
	for _, name := range scripts {
		script := part(name)
		texts = append(texts, template.JS(script)) //nolint:gosec // the program's own, or a library's
		policy = strings.Join([]string{policy, hash(script)}, " ")
	}
	err := template.Must(template.ParseFS(files, "page.html")).Execute(w, map[string]any{
		// The policy allows only scripts, a style and pictures that are in the page itself.
		"Title": c.Project, "Policy": policy, "Scripts": texts,
		"Style": template.CSS(part("page.css")), //nolint:gosec // the program's own
		// The replacer escapes each "</" and "<!", so that no text of a document can end the element that holds the content.
		"Content": template.JS(strings.NewReplacer("</", `<\/`, "<!", `\u003c!`).Replace(encoded.String())), //nolint:gosec // see above
	})
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func part(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// hash returns the words of a content security policy that allow a script or a style with this text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
