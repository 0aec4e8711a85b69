package page

import (
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/compound-docs/compound-docs/internal/history"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/internal/project"
)

// hosted matches the address of a repository at a host whose pages the program knows.
var hosted = lazyregexp.New(`^(?:https?://(?:[^@/]*@)?|ssh://git@|git@)` +
	`(github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)[/:]([\w-][\w.-]*(?:/[\w-][\w.-]*)+)/?$`)

// editAddress returns where a host edits a file of the project, with {path} for the file's path; "" if the
// remote "origin" is at no such host. Only the names of repository and branch are taken from git.
func editAddress(ctx context.Context, p *project.Project) string {
	folder, err := history.Open(p.Root)
	if err != nil {
		return ""
	}
	origin, name, err := folder.Origin(ctx)
	if err != nil {
		return ""
	}
	head, err := project.Head(p.Root)
	if err != nil || head.Detached {
		return ""
	}
	return editTemplate(origin, head.Branch, name)
}

func editTemplate(origin, branch, folder string) string {
	found := hosted().FindStringSubmatch(origin)
	if found == nil || branch == "" {
		return ""
	}
	host, repository := found[1], strings.TrimSuffix(found[2], ".git")
	form := map[string]string{
		"github.com": "/edit/", "gitlab.com": "/-/edit/", "bitbucket.org": "/src/", "codeberg.org": "/_edit/",
	}[host]
	below := strings.NewReplacer("{", "%7B", "}", "%7D").Replace((&url.URL{Path: path.Join(branch, folder)}).EscapedPath())
	address := "https://" + host + "/" + repository + form + below + "/{path}"
	if host == "bitbucket.org" {
		address += "?mode=edit"
	}
	return address
}
