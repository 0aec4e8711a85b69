package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// Hostile texts, titles and names of files change nothing: the page has its own scripts, and its policy
// allows them alone. FuzzRender tries the HTML of documents.
func TestWrite_RunsNothingOfTheDocuments(t *testing.T) {
	t.Parallel()
	const title = "title: '</script></title><script>alert(1)</script><img src=x onerror=alert(2)>{{.}}`'"
	hostile := map[string]string{"notes/0.md": "---\n" + title + "\n---\n<script>alert(1)</script> <!-- <iframe src=//evil.example>\n"}
	hostile[`notes/a"onload=alert(1) <b>'%3Cscript%3E#?.md`] = "---\n" + title + "\ntags: ['</script>', '<b>']\nfield: '</script><script>'\n---\nText\n"
	f := setup(t, hostile)
	f.Must(f.recalls.AddQuestion(t.Context(), f.Root, "</script><script>alert(1)</script>", time.Now()))
	w := f.write(t)
	if len(w.content.Documents) != len(hostile) {
		t.Errorf("%d documents, want %d", len(w.content.Documents), len(hostile))
	}
	checkElements(t, w)
}

// checkElements checks that a page has the scripts that its policy allows, and nothing that loads.
func checkElements(t *testing.T, w written) {
	t.Helper()
	policy, allowed, scripts := "", "", 0
	hash := func(node *html.Node) string {
		sum := sha256.Sum256([]byte(node.FirstChild.Data))
		return " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for node := range w.elements.Descendants() {
		switch {
		case node.Data == "meta" && attribute(node, "http-equiv") != "":
			policy = attribute(node, "content")
		case node.Data == "style":
			allowed = "style-src" + hash(node) + "; script-src"
		case node.Data == "script" && attribute(node, "id") == "":
			allowed += hash(node)
			scripts++
		case slices.Contains([]string{"img", "iframe", "link", "object", "embed", "base", "form"}, node.Data):
			t.Errorf("the page has <%s>", node.Data)
		}
		for _, a := range node.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "style" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("<%s> has %s=%q", node.Data, a.Key, a.Val)
			}
		}
	}
	if want := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; " + allowed; policy != want || scripts != 10 {
		t.Errorf("with %d scripts the policy is %q, want %q", scripts, policy, want)
	}
}

var lineNumbers = regexp.MustCompile(` data-line="[0-9]+"`)

func TestWrite_RendersMarkdown(t *testing.T) {
	t.Parallel()
	const at = "#/doc/csharp-compounding-docs%2F"
	for name, test := range map[string]struct{ text, want string }{
		"link":           {"[b](b.md) [c](/csharp-compounding-docs/c%20c.md)", `<p><a href="` + at + `b.md">b</a> <a href="` + at + `c%20c.md">c</a></p>`},
		"anchor":         {"[b](b.md#Über-uns) [here](#x)", `<p><a href="` + at + `b.md/%C3%BCber-uns">b</a> <a href="` + at + `a.md/x">here</a></p>`},
		"wikilink":       {"[[b]] [[B|the *b*]] [[c c]]", `<p><a href="` + at + `b.md">b</a> <a href="` + at + `b.md">the *b*</a> <a href="` + at + `c%20c.md">c c</a></p>`},
		"wiki heading":   {"[[b#Über uns]] [[#Part one|here]] [[b#One#Two]]", `<p><a href="` + at + `b.md/%C3%BCber-uns">b#Über uns</a> <a href="` + at + `a.md/part-one">here</a> <a href="` + at + `b.md/two">b#One#Two</a></p>`},
		"wiki elsewhere": {"[[gone]] [[x.pdf]] [[1]](b.md) `[[b]]` [[ -f b ]]", `<p>gone x.pdf <a href="` + at + `b.md">[1]</a> <code>[[b]]</code> [[ -f b ]]</p>`},
		"wiki embed":     {"![[b]] ![[x.png|100]]", `<p><a href="` + at + `b.md">b</a> <em>Image: x.png</em></p>`},
		"wiki table":     {"|a|\n|-|\n|[[b\\|text]]|", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><a href=\"" + at + "b.md\">text</a></td>\n</tr>\n</tbody>\n</table>"},
		"reference":      {"[b][]\n\n[b]: ./b.md", `<p><a href="` + at + `b.md">b</a></p>`},
		"elsewhere":      {"[code](../main.go) [gone](gone.md) [out](../../x.md)", "<p>code gone out</p>"},
		"web":            {"<https://example.com>", `<p><a href="https://example.com" rel="noreferrer noopener" target="_blank">https://example.com</a></p>`},
		"heading":        {"## The `code` part\n\n## The code part", "<h2 id=\"h-the-code-part\">The <code>code</code> part</h2>\n<h2 id=\"h-the-code-part-1\">The code part</h2>"},
		"image and link": {"![a *b*](x.png) [b](b.md)", `<p><em>Image: a <em>b</em></em> <a href="` + at + `b.md">b</a></p>`},
		"task":           {"- [x] done\n- [ ] open", "<ul>\n<li>☑ done</li>\n<li>☐ open</li>\n</ul>"},
		"html":           {"a<br>b <kbd>c</kbd>", "<p>a<br>b <kbd>c</kbd></p>"},
		"alignment":      {"|a|\n|-:|\n|1|", "<table>\n<thead>\n<tr>\n<th align=\"right\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"right\">1</td>\n</tr>\n</tbody>\n</table>"},
		"costly":         {strings.Repeat("[a](", 2_001), "<pre>" + strings.Repeat("[a](", 2_001) + "\n</pre>"},
		"wide table":     {strings.Repeat("|<", 1_000) + strings.Repeat("\n|", 100), "<pre>" + strings.Repeat("|&lt;", 1_000) + strings.Repeat("\n|", 100) + "\n</pre>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, map[string]string{"a.md": test.text + "\n", "b.md": "B\n", "c c.md": "C\n"})
			f.Put("main.go", "package main\n")
			if diff := cmp.Diff(test.want, strings.TrimSpace(lineNumbers.ReplaceAllString(f.write(t).document(t, "a.md").HTML, ""))); diff != "" {
				t.Errorf("HTML (-want +got):\n%s", diff)
			}
		})
	}
}
