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

// Bounds of the pictures in a page, in bytes of their files.
const (
	maxPicture  = 256 << 10
	maxPictures = 4 << 20
)

// pictures has the pictures that documents show, each once. They are read from the repository alone.
type pictures struct {
	root  *contain.Root
	urls  []string       // with the pictures in them
	found map[string]int // indexes of urls by the paths of files, -1 for files that are not shown
	size  int
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
		return -1 // the page names the picture
	}
	p.size += len(file.Content)
	p.found[name] = len(p.urls)
	p.urls = append(p.urls, "data:image/"+kind+";base64,"+base64.StdEncoding.EncodeToString(file.Content))
	return p.found[name]
}

// embedded matches Obsidian's ![[a.png]] and ![[a.png|100]].
var embedded = lazyregexp.New(`^!\[\[([^\[\]|#]+\.(?i:png|jpe?g|gif|webp|svg))(?:\|([^\[\]]*))?\]\]`)

// embedParser makes pictures of Obsidian's embeds. The parser of rag/markdown keeps no paths of them.
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
