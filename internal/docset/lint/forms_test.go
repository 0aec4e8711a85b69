package lint_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/compound-docs/compound-docs/internal/docset/lint"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

// What a file says in another form than usual is read, and lint names the lines that a person should mend.
func TestRun_NamesWhatIsReadInSpiteOfItsForm(t *testing.T) {
	t.Parallel()
	github := "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a"
	for name, test := range map[string]struct {
		text string
		want []string // line, severity and check
	}{
		"a colon in a title":    {"---\ntitle: Nightly import: worker gives up after 30 s\ndate: 2025-04-02\ntags: [import, timeout]\n---\nText.\n", []string{"2 warning front-matter: title: 'Nightly import: worker gives up after 30 s'"}},
		"brackets in a title":   {"---\ndate: 2025-04-02\ntitle: [Runbook] failover\n---\nText.\n", []string{"3 warning front-matter: title: '[Runbook] failover'"}},
		"names":                 {"---\nowner: @alice\nnote: *important*\n---\nText.\n", []string{"2 warning front-matter: owner: '@alice'", "3 warning front-matter: note: '*important*'"}},
		"a second block":        {"\n---\ntitle: a\n---\n\n---\ntitle: b\n---\nText.\n", []string{"6 warning front-matter: "}},
		"TOML":                  {"+++\ntitle = \"Queues\"\ndate = 2024-08-19\n+++\nText.\n", nil},
		"JSON":                  {"{\n  \"title\": \"Queues\",\n  \"date\": \"2024-09-01\"\n}\nText.\n", nil},
		"a field of TOML":       {"+++\ndate = 2024-08-19\ntags = 12\n+++\nText.\n", []string{"3 warning front-matter: "}},
		"a date":                {"# A\n\n* Date: 19/12/2024\n", nil},
		"a date of two days":    {"# A\n\n* Date: 03/04/2024\n", []string{"3 warning front-matter: "}},
		"a field of two days":   {"---\ntitle: a\ndate: 03/04/2024\n---\n", []string{"3 warning front-matter: ", "3 warning front-matter: "}},
		"a missing picture":     {"[a](gone.png) [b](img/gone.SVG)\n", []string{"1 warning broken-link: ", "1 warning broken-link: "}},
		"a missing page":        {"Text.\n\n[a](gone/)\n", []string{"3 error broken-link: "}},
		"a missing heading":     {"# A\n\n## Set up\n\n## Set up\n\n[a](#set-up) [b](#set-up-1)\n[c](#gone) [d](a.md#gone-too)\n", []string{"8 warning broken-link: ", "8 warning broken-link: "}},
		"headings of all forms": {"## Own {#own-id}\n\n<a name=\"here\"></a>\n\n## 🚀 Größe\n\n> ## Quoted `x`\n\n[a](#own-id) [b](#here) [c](#-gr%C3%B6%C3%9Fe) [d](#quoted-x) [e](#L12) [[a#Own]] [f](https://a.example/#x)\n", nil},
		"a key of AWS":          {"Text.\n\nThe old key `AK" + "IAIOSFODNN7EXAMPLE`.\n", []string{"3 error secret: "}},
		"a token in a field":    {"---\ntitle: a\nnote: " + github + "\n---\n", []string{"3 error secret: "}},
		"a password in a URL":   {"Text.\ngit clone https:/" + "/deploy:Tr0ub4dor@git.example.com/x.git\n", []string{"2 error secret: "}},
		"a key in a bad file":   {"---\ntitle: [\n---\n" + github + "\n", []string{"1 error front-matter: ", "4 error secret: "}},
		"an unclosed quote":     {"---\ntitle: \"a\ntags: [b]\n---\nText.\n", []string{"1 error front-matter: "}},
		"a rule at the top":     {"---\nSome text.\n---\n", []string{"1 warning front-matter: "}},
		"marks of a merge":      {"Text.\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n", []string{"2 error conflict: "}},
		"marks in an example":   {"```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n```\n", nil},
		"marks in the fields":   {"---\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> x\n---\nText.\n", []string{"1 warning front-matter: ", "2 error conflict: "}},
		"a document type alone": {"---\ndoc_type: problem\n---\nText.\n", nil},
		"a private key":         {"<!--\n-----BEGIN " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEAtY7dGqZ8m1Xn2kqz\n-----END PRIVATE KEY-----\n-->\n", []string{"2 error secret: "}},
		"a password in example": {"https:/" + "/user:password@host/\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gitrepo.New(t)
			repo.Put(config, `{"project_name": "forms", "documents": {"lenient": true}}`)
			repo.Put(docs+"problems/a.md", test.text)
			got := []string{}
			for _, line := range check(t, repo.Root) {
				line, _ = strings.CutPrefix(line, "problems/a.md:")
				where, message, _ := strings.Cut(line, ": ")
				kind, message, _ := strings.Cut(message, ": ")
				if strings.HasPrefix(kind, string(lint.Notice)) {
					if strings.Contains(message, "missing") {
						t.Errorf("a field that nobody must write is named: %s", message)
					}
					continue
				}
				if strings.Contains(message, github) || strings.Contains(message, "Tr0ub4dor") {
					t.Errorf("the secret is in %q", message)
				}
				_, mended, _ := strings.Cut(message, "put the text in quotes: ")
				got = append(got, where+" "+kind+": "+mended)
			}
			if diff := cmp.Diff(append([]string{}, test.want...), got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// The names on disk are in one Unicode form, those in the text in another.
func TestRun_FindsNamesInEitherForm(t *testing.T) {
	t.Parallel()
	repo := gitrepo.New(t)
	repo.Put(config, `{"project_name": "names", "documents": {"folder": "docs/solutions", "lenient": true}}`)
	repo.Put("docs/solutions/"+norm.NFD.String("Größe-überlauf.md"), "# Größe läuft über\n\nSee [Notes](index-note.md).\n")
	repo.Put("docs/solutions/index-note.md", "# Notes\n\nSee [Größe](Größe-überlauf.md) and [[Größe-überlauf]].\n\n"+
		"See [é]("+norm.NFD.String("Café/École.md")+"), [the picture](Café/plan-à.png) and [encoded](Caf%C3%A9/%C3%89cole.md).\n")
	repo.Put("docs/solutions/"+norm.NFD.String("Café")+"/École.md", "---\nrelated_docs: [../Größe-überlauf.md]\n---\n# École\n\nSee [Notes](../index-note.md).\n")
	repo.Put("docs/solutions/"+norm.NFD.String("Café/plan-à.png"), "x")
	for _, found := range check(t, repo.Root) {
		if !strings.Contains(found, ": notice ") {
			t.Errorf("lint finds %q", found)
		}
	}
	repo.Put("docs/solutions/Größe-überlauf.md", "# Another\n")
	if found := strings.Join(check(t, repo.Root), "\n"); !strings.Contains(found, "has the name of another file in another Unicode form") {
		t.Errorf("lint finds %q", found)
	}
}
