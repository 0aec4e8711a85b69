package page

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/workbound"
)

// render returns a function that renders a text beside a document b.md and a picture p.png.
func render(tb testing.TB) func(text string) string {
	tb.Helper()
	repo := gitrepo.New(tb)
	repo.Put(".csharp-compounding-docs/config.json", `{"project_name": "pages", "documents": {"lenient": true}}`)
	repo.Put("csharp-compounding-docs/b.md", "B\n")
	p, err := project.Load(repo.Root)
	repo.Must(err)
	set, err := docset.Read(tb.Context(), p)
	repo.Must(err)
	repo.Put("csharp-compounding-docs/p.png", "picture")
	root, err := contain.Open(p.Root)
	repo.Must(err)
	tb.Cleanup(func() { repo.Must(root.Close()) })
	r := &renderer{project: p, set: set, external: &docset.Set{}, pictures: pictures{root: root, found: map[string]int{}}}
	return func(text string) string {
		return r.render(&docset.Document{Path: "csharp-compounding-docs/a.md"}, markdown.Lines([]byte(text)))
	}
}

func TestRender_KeepsPlainTagsOfHTML(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"script":               {"<script>alert(1)</script>\n\na", "<p>a</p>"},
		"script in a line":     {"a <script src=//x></script>b", "<p>a b</p>"},
		"script in a block":    {"<p>a<SCRIPT type=x>1 < 2</sCript >b</p>", "<p>ab</p>"},
		"script without end":   {"<p>a<script>b\nc", "<p>a"},
		"cut script":           {"<p>a<scr<script>x</script>ipt>b", "<p>a&lt;script&gt;b"},
		"style":                {"<style>\n* { display: none }\n</style>\na", "<p>a</p>"},
		"event handler":        {"<p onclick=alert(1)>a</p>\n\n<b onclick='x'>b</b>", "<p>a</p>\n<p><b>b</b></p>"},
		"image":                {"a<img src=x onerror=alert(1)>b", "<p>ab</p>"},
		"link":                 {"<a href=https://example.com>a</a> <a href=javascript:alert(1)>b</a>", "<p>a b</p>"},
		"svg":                  {"<svg onload=x><path d='M0'/><script>1</script><a xlink:href=javascript:x>a</a></svg>", "<p>1a</p>"},
		"iframe":               {"<iframe src=https://example.com>a</iframe>", "a"},
		"details":              {"<details open>\n<summary class=x>a</summary>\n\n*b*\n\n</details>", "<details>\n<summary>a</summary>\n<p><em>b</em></p>\n</details>"},
		"table":                {"|a|\n|-|\n|b<BR/>c<br />d|", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b<br>c<br>d</td>\n</tr>\n</tbody>\n</table>"},
		"table of HTML":        {"<table><tr><td\nstyle='x'\n>a < b > c</td></tr></table>", "<table><tr><td>a &lt; b &gt; c</td></tr></table>"},
		"code of HTML":         {"<pre>\nVec<String> &lt;p&gt; &amp; & x\n\n</pre>y", "<pre>\nVec &lt;p&gt; &amp; & x\n\n</pre>y"},
		"comment":              {"<!-- a\n<b>\n\n-->\n\nc <!-- > <i> -->d", "<p>c d</p>"},
		"comment without end":  {"<p>a</p><!-- b\n<p>c</p>", "<p>a</p>"},
		"CDATA":                {"a <![CDATA[<b>]]> c", "<p>a ]]&gt; c</p>"},
		"declaration":          {"<!DOCTYPE html>\n\n<?php echo 1 ?>\n\na", "\n\n<p>a</p>"},
		"tag in a title":       {`<p title="a>b<script>">c</p>`, "<p>c</p>"},
		"tag in a cut title":   {`<p title="a>b<script >">c</p>`, "<p>c</p>"},
		"quote without end":    {`<p title="a>b</p>`, `&lt;p title="a&gt;b</p>`},
		"tag without end":      {"<p>a<i>b <p\n\nc", "<p>a<i>b &lt;p\n<p>c</p>"},
		"end without a tag":    {"a</p></div></b>", "<p>a</p></b></p>"},
		"letters like tags'":   {"<p><\u017f><\u212abd></p>", "<p>&lt;\u017f&gt;&lt;\u212abd&gt;</p>"},
		"address":              {"<p><https://example.com> <a@b.c></p>", "<p>&lt;https://example.com&gt; &lt;a@b.c&gt;</p>"},
		"links of markdown":    {"[*a*](JavaScript:x) [b](&#106;avascript:x) [c](java&#10;script:x) [d](\x01javascript:x) <javascript:x>", "<p><em>a</em> b c d javascript:x</p>"},
		"escaped twice":        {"[a](&amp;#106;avascript:x) [b](https&colon;//x 'y') <ftp://x/&lt;>", `<p>a <a href="https://x" rel="noreferrer noopener" target="_blank">b</a> ftp://x/&lt;</p>`},
		"mail":                 {"a@b.example <mailto:a@b.example>", `<p><a href="mailto:a@b.example">a@b.example</a> <a href="mailto:a@b.example">mailto:a@b.example</a></p>`},
		"language of code":     {"```Go x\n<b>\n```\n\n    c", "<pre><code data-language=\"go\">&lt;b&gt;\n</code></pre>\n<pre><code>c\n</code></pre>"},
		"hostile language":     {"```go&#32;hidden\na\n```", "<pre><code>a\n</code></pre>"},
		"picture":              {"![a *b* \"c\"](p.png \"d\") ![e](./p.png#f)", `<p><img data-picture="0" alt="a b &#34;c&#34;"> <img data-picture="0" alt="e"></p>`},
		"other pictures":       {"![a](gone.png) ![b](b.md) ![c](https://example.com/p.png) ![d](../../../etc/p.png)", "<p><em>Image: a</em> <em>Image: b</em> <em>Image: c</em> <em>Image: d</em></p>"},
		"embedded picture":     {"![[p.png]] ![[p.png|100]] ![[gone.png|g]]", `<p><img data-picture="0" alt="p.png"> <img data-picture="0" alt="p.png"> <em>Image: g</em></p>`},
		"callout":              {"> [!WARNING]\n> Take *care*.", "<blockquote class=\"callout warning\"><p><strong>Warning</strong></p>\n<p>Take <em>care</em>.</p>\n</blockquote>"},
		"titled callout":       {"> [!bug]- A *b*\n> c\n>\n> - d", "<blockquote class=\"callout note\"><p><strong>A <em>b</em></strong></p>\n<p>c</p>\n<ul>\n<li>d</li>\n</ul>\n</blockquote>"},
		"callout without text": {"> [!tip]", "<blockquote class=\"callout tip\"><p><strong>Tip</strong></p>\n</blockquote>"},
		"unknown callout":      {"> [!mine]\n>\n> a", "<blockquote class=\"callout note\"><p><strong>Mine</strong></p>\n<p>a</p>\n</blockquote>"},
		"no callout":           {"> a [!note]\n\n[!note] b\n\n> [!a b] c", "<blockquote>\n<p>a [!note]</p>\n</blockquote>\n<p>[!note] b</p>\n<blockquote>\n<p>[!a b] c</p>\n</blockquote>"},
		"numbers":              {"3. a", "<ol start=\"3\">\n<li>a</li>\n</ol>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := render(t)(test.text) // pictures are for one goroutine
			if diff := cmp.Diff(test.want, strings.TrimSuffix(lineNumbers.ReplaceAllString(got, ""), "\n")); diff != "" {
				t.Errorf("HTML (-want +got):\n%s", diff)
			}
			checkSafe(t, got)
		})
	}
}

// Each block says on which line of the file it begins, so that a search shows the places of sentences.
func TestRender_NumbersLines(t *testing.T) {
	t.Parallel()
	r := renderer{set: &docset.Set{}, external: &docset.Set{}}
	d := &docset.Document{Dissection: index.Dissection{Document: markdown.Document{Title: "T", FrontMatterLines: 3}}}
	got := r.render(d, markdown.Lines([]byte("---\na: b\n---\n# T\n\n## H\n\np\nq\n\n- i\n  - j\n\n```\nc\n```\n\n|a|\n|-|\n|b|\n|d|\n\n1. k\n\n   l\n\n> m")))
	numbered := regexp.MustCompile(`<([a-z0-9]+)[^>]* data-line="(\d+)"`)
	lines := []string{}
	for _, found := range numbered.FindAllStringSubmatch(got, -1) {
		lines = append(lines, found[1]+" "+found[2])
	}
	want := strings.Split("h2 6,p 8,li 11,li 12,pre 15,thead 18,tr 20,tr 21,p 23,p 25,p 27", ",")
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s\n%s", diff, got)
	}
}

var lineNumbers = regexp.MustCompile(` data-line="[0-9]+"`)

var (
	shown = strings.Fields("p br hr h1 h2 h3 h4 h5 h6 blockquote pre code em i strong b del ins s sub sup kbd samp var mark small q " +
		"details summary ul ol li dl dt dd table caption colgroup col thead tbody tfoot tr th td a img")
	harmless = regexp.MustCompile(`^(h[1-6] id="h-[^"]*"|a (href="(#/doc/|https?:|mailto:)[^"]*"|rel="noreferrer noopener"|target="_blank")|` +
		`t[dh] align="(left|right|center)"|ol start="[0-9]+"|(p|h[1-6]|li|pre|tr|thead) data-line="[0-9]+"|code data-language="[a-z0-9+#-]+"|` +
		`blockquote class="callout (note|tip|important|warning|caution)"|img (data-picture="0"|alt=".*"))$`)
)

// checkSafe checks that the elements and attributes of HTML are harmless, as a browser reads it in the page.
func checkSafe(t *testing.T, text string) {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatal(err)
	}
	root := &html.Node{}
	for _, node := range nodes {
		root.AppendChild(node)
	}
	for node := range root.Descendants() {
		isElement := node.Type == html.ElementNode && slices.Contains(shown, node.Data) && node.Namespace == ""
		if !isElement && node.Type != html.TextNode || slices.Contains([]string{"a", "img"}, node.Data) && isElement && len(node.Attr) == 0 {
			t.Errorf("%q has <%s>", text, node.Data)
		}
		for _, a := range node.Attr {
			if !harmless.MatchString(node.Data + " " + a.Key + `="` + a.Val + `"`) {
				t.Errorf("%q has <%s %s=%q>", text, node.Data, a.Key, a.Val)
			}
		}
	}
}

// A repository cannot make the page take minutes: the time grows in proportion to the HTML.
func TestPlainHTML_TakesTimeInProportion(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	for _, unit := range []string{"<", ">", "<p", "<p>", "<!--", "<!", "<?", "<script ", "</script", "<a '\"", "<a '' \"\" "} {
		text := []byte(strings.Repeat(unit, maxConverted/len(unit)))
		workbound.Check(t, len(text), 1000, func() { plainHTML(text) })
	}
}

// No text becomes HTML that runs or loads something.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"<script>alert(1)</script>\n\nText <script src=//evil.example/x.js></script>",
		"<img src=x onerror=alert(1)> ![a](https://evil.example/x.png \"t\") [![b](javascript:alert(1))](javascript:alert(2))",
		"[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](&#106;avascript:alert(1)) [d](<java\tscript:alert(1)>) [e](vbscript:x)",
		"[a](data:text/html,<script>alert(1)</script>) [b](data:image/png;base64,AA) [c](file:///etc/passwd) [d](//evil.example/x)",
		"<a href=javascript:alert(1)>a</a> <a href=' &#1; javascript:alert(1)'>b</a> <a href=//evil.example>c</a> <a href='\\\\evil\\x'>d</a>",
		"<p onclick=alert(1) style='position:fixed' class=x>a</p> <details open ontoggle=alert(1)>b</details>",
		"<iframe src=https://evil.example></iframe><object data=x></object><embed src=x><base href=https://evil.example>",
		"<form action=https://evil.example><input name=a><button>b</button></form><meta http-equiv=refresh content='0;url=//evil.example'>",
		"<svg><script>alert(1)</script><a xlink:href=javascript:alert(1)>a</a></svg><math><mtext></table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
		"<style>@import '//evil.example/x.css'</style><link rel=stylesheet href=//evil.example/x.css>\n\n# Head <h1 id=content>clobbers</h1>",
		"<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript><!-- --!><img src=x onerror=alert(1)> -->",
		"| a | b |\n|---|---|\n| <img src=x onerror=alert(1)> | `<script>` |\n\n```html\n<script>alert(1)</script>\n```\n\n</script><!--",
		"[[javascript:alert(1)]] [[//evil.example/x|a]] ![[x.png\"onerror=alert(1)]] [[a#\" onclick=alert(1) x=\"|b]] [[<script>alert(1)</script>]]",
		"[ref]\n\n[ref]: javascript:alert(1)\n\n<javascript:alert(1)> <https://evil.example/\"onclick=alert(1)>",
		strings.Repeat("[", 5_000) + "<script>alert(1)</script>",
		"# a\n\n<script>alert(1)</script> <a href=javascript:x onclick=\"y>\">b</a> [c](javascript:x) [d](b.md) <https://e.f> www.g.example",
		"|a|b|\n|-:|:-:|\n|<br>|<img src=x onerror=y>|\n\n```go x\n<svg>\n```\n\n- [x] ~~a~~ ![b [c](d)](e \"f\") [[b]]",
		"<details>\n<summary title='a>b<i>'>c</summary>\n<!-- d\n\n<![CDATA[e]]> <?f?> &lt;g&gt; <h\n\n</h>\n\n<style>\n\n1. i\n\n> <pre>\n> j\n",
		"<scr<script>ipt> <<b>script> &#60;script> \\<script> <a@b.c> <javascript:x> [x](&#106;avascript:y) [r]\n\n[r]: vbscript:x 'y\"z'",
	} {
		f.Add(seed)
	}
	render := render(f)
	f.Fuzz(func(t *testing.T, text string) {
		var got string
		workbound.Check(t, len(text), 5000, func() { got = render(text) })
		checkSafe(t, got)
	})
}
