package page

import (
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Limits in bytes for the file of a picture, and for the files of all pictures of a page.
const (
	maxPicture  = 256 << 10
	maxPictures = 4 << 20
)

// pictures collects the pictures that documents show, each once. It reads only files of the repository.
type pictures struct {
	root  *contain.Root
	urls  []string       // data URLs, each with a picture
	found map[string]int // index in urls by the path of the file; -1 for a picture that the page does not show
	size  int            // of all files in urls, in bytes
}

// add returns the index of a picture by its path in the repository, or -1 if the page does not show it.
func (p *pictures) add(name string) int {
	kind := map[string]string{
		".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp", ".svg": "svg+xml",
	}[strings.ToLower(path.Ext(name))]
	if kind == "" {
		return -1
	}
	if at, known := p.found[name]; known {
		return at
	}
	p.found[name] = -1
	file, err := p.root.Read(name, maxPicture)
	if err != nil || p.size+len(file.Content) > maxPictures {
		return -1 // the page shows the picture's name
	}
	p.size += len(file.Content)
	p.found[name] = len(p.urls)
	p.urls = append(p.urls, "data:image/"+kind+";base64,"+base64.StdEncoding.EncodeToString(file.Content))
	return p.found[name]
}

// embedded matches Obsidian's ![[a.png]] and ![[a.png|100]].
var embedded = lazyregexp.New(`^!\[\[([^\[\]|#]+\.(?i:png|jpe?g|gif|webp|svg))(?:\|([^\[\]]*))?\]\]`)

// embedParser parses Obsidian's embeds as pictures. The parser of rag/markdown does not keep their paths.
type embedParser struct{}

func (embedParser) Trigger() []byte { return []byte{'!'} }

func (embedParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	found := embedded().FindSubmatch(line)
	if found == nil {
		return nil
	}
	block.Advance(len(found[0]))
	link := ast.NewLink()
	link.Destination = []byte((&url.URL{Path: markdown.AnyFolder + strings.TrimPrefix(string(found[1]), "/")}).String())
	label := found[1]
	if len(found[2]) > 0 && strings.Trim(string(found[2]), "0123456789x") != "" { // not a size
		label = found[2]
	}
	link.AppendChild(link, ast.NewString(label))
	return ast.NewImage(link)
}
