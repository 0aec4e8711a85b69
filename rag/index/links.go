package index

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// resolveLinks returns the links of the file at source, with paths relative to the repository.
// It leaves out links that lead out of the repository or to the file itself.
func resolveLinks(source string, docType project.Rules, destinations []string) []Link {
	var links []Link
	for _, destination := range destinations {
		link := destinationLink(source, docType, destination)
		if reaches(source, link.Target) && link.Target != source && link.Fallback != source {
			links = append(links, link)
		}
	}
	return links
}

// TextLink returns the link from the document at source to a destination in its text. It returns false if the
// destination is not a path in the repository.
func TextLink(source string, schema Schema, destination string) (Link, bool) {
	docType, _ := schema.Rules(source)
	relative, ok := markdown.RelativeLink(destination)
	if !ok {
		return Link{}, false
	}
	link := destinationLink(source, docType, relative)
	return link, reaches(source, link.Target)
}

// destinationLink returns the link from the file at source to a destination. A wikilink such as [[pool]] means a page
// of this name in any folder. If several folders have such a page, the link leads to its Fallback, in the docs folder.
func destinationLink(source string, docType project.Rules, destination string) Link {
	destination = norm.NFC.String(destination) // package watch gives paths in this Unicode form
	if page, ok := strings.CutPrefix(destination, markdown.AnyFolder); ok {
		page = path.Clean("/" + page)
		return Link{Target: "**" + page, Fallback: strings.TrimPrefix(path.Join(docType.Docs, page), "/")}
	}
	isRooted := strings.HasPrefix(destination, "/")
	destination = rooted(docType.LinkRoot, destination)
	target, _ := resolveLink(source, destination)
	if strings.HasSuffix(source, ".html.md") && path.Ext(target) == ".html" { // Middleman makes x.html from x.html.md
		target += ".md"
	}
	// In a site's source, or a bundle of the Open Knowledge Format, / may mean the top folder.
	if top, _, isBelow := strings.Cut(source, "/"); isRooted && isBelow && path.Ext(target) == ".md" {
		return Link{Target: target, Fallback: path.Join(top, target)}
	}
	extension := path.Ext(target)
	isFolder := target == "." || strings.HasSuffix(target, "..")
	if isFolder || !slices.Contains([]string{"", ".html", ".htm"}, strings.ToLower(extension)) {
		return Link{Target: target}
	}
	// The target is a page of a site made from markdown, where each page is a folder. So ../b/ in a.md may mean b.md
	// beside a.md.
	stem := strings.TrimSuffix(target, extension)
	link := Link{Target: stem + ".md", Fallback: stem + "/index.md", Written: target}
	if strings.HasPrefix(destination, "../") {
		link.Fallback, _ = resolveLink(source, path.Join(baseName(source), destination)+".md")
	}
	if !reaches(source, link.Fallback) {
		link.Fallback = ""
	}
	return link
}

// resolveRelated returns links from the file at source to the documents that a field of its front matter names, such as
// related_docs. Writers give paths relative to the file ("../tools/x.md"), to the docs folder ("tools/x.md"), or to the
// repository ("/csharp-compounding-docs/tools/x.md"), with or without an anchor. The Target of a link is where the path
// leads from the file, and the Fallback is where it leads from the docs folder.
func resolveRelated(source, docs string, related []string, relation said.Relation) []Link {
	var links []Link
	for _, given := range related {
		destination, ok := markdown.RelativeLink(withoutAnchor(given))
		if !ok {
			continue
		}
		destination = norm.NFC.String(destination)
		inDocs := strings.TrimPrefix(path.Clean(destination), "/")
		switch {
		case docs == ".": // the docs folder is the repository
		case strings.HasPrefix(inDocs, docs+"/"):
			destination = "/" + inDocs
		default:
			inDocs = path.Join(docs, inDocs)
		}
		target, ok := resolveLink(source, destination)
		isInside := strings.HasPrefix(inDocs, docs+"/") || docs == "." && insideRepository(inDocs)
		if !isInside || inDocs == source || ok && inDocs == target {
			inDocs = ""
		}
		switch {
		case ok:
			links = append(links, Link{Target: target, Fallback: inDocs, Relation: relation})
		case inDocs != "":
			links = append(links, Link{Target: inDocs, Relation: relation})
		}
	}
	return links
}

// resolveRelations returns the links of the file at source that have a relation: the file replaces, amends or mentions
// a document, or a document replaces or amends the file. A number such as #12 names a decision in the file's folder.
func resolveRelations(source string, folder project.Rules, docs string, named []said.NamedRelation) []Link {
	var links []Link
	for _, r := range named {
		switch isPath := strings.Index(r.Destination, "/") > 0 && r.Destination[0] != '.'; {
		case r.Bare && isPath && folder.Lenient(): // relative to the file, to the folder or to the repository
			link := destinationLink(source, folder, markdown.AnyFolder+r.Destination)
			link.Relation = r.Relation
			links = append(links, link)
		case r.Bare:
			links = append(links, resolveRelated(source, docs, []string{r.Destination}, r.Relation)...)
		case strings.HasPrefix(r.Destination, "#"):
			links = append(links, Link{Target: numberIn(source, r.Destination), Relation: r.Relation})
		default:
			for _, link := range resolveLinks(source, folder, []string{r.Destination}) {
				link.Relation = r.Relation
				links = append(links, link)
			}
		}
	}
	return links
}

// numberOf returns the folder and the number of a decision, such as docs/adr/#12, "" for a file without a number.
func numberOf(file, title string) string {
	if number := said.DecisionNumber(file, title); number != "" {
		return numberIn(file, "#"+number)
	}
	return ""
}

// numberIn returns the target of a link to the decision with a number such as #12 in the folder of source.
func numberIn(source, number string) string { return path.Join(path.Dir(source), number) }

var anchored = regexp.MustCompile(`(?i)^(.*?\.md)[#?]`)

// withoutAnchor cuts off the anchor or query after a file's name. It escapes a # or ? in the
// name itself, as in "tools/c#.md", so that no anchor begins there.
func withoutAnchor(destination string) string {
	if found := anchored.FindStringSubmatch(destination); found != nil {
		destination = found[1]
	}
	if strings.HasSuffix(strings.ToLower(destination), ".md") {
		destination = strings.NewReplacer("#", "%23", "?", "%3F").Replace(destination)
	}
	return destination
}

// rooted puts the path root in front of a destination that begins with /. Any other destination stays as it is.
func rooted(root, destination string) string {
	if !strings.HasPrefix(destination, "/") {
		return destination
	}
	return "/" + path.Join(root, destination)
}

func resolveLink(source, destination string) (string, bool) {
	if strings.HasPrefix(destination, "/") {
		destination = strings.TrimPrefix(path.Clean(destination), "/")
	} else {
		destination = path.Join(path.Dir(source), destination)
	}
	return destination, reaches(source, destination) && destination != source
}

// maxPath bounds a path, in bytes. No file has a longer path.
const maxPath = 4096

func insideRepository(target string) bool {
	return len(target) <= maxPath && target != "." && fs.ValidPath(target)
}

// reaches reports whether a document at source may link to the target. A document outside the repository has a path
// that begins with /, and may link to other documents outside.
func reaches(source, target string) bool {
	if strings.HasPrefix(source, "/") {
		target = strings.TrimPrefix(target, "/")
	}
	return insideRepository(target)
}

// dedupe returns the first maxLinks distinct links, in order.
func dedupe(links []Link) []Link {
	kept, seen := []Link{}, map[Link]bool{}
	for _, link := range links {
		if !seen[link] && len(kept) < maxLinks {
			seen[link] = true
			kept = append(kept, link)
		}
	}
	return kept
}
