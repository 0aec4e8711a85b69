package markdown_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// Each line of the secrets is found, and no ordinary line that looks alike. The sets a and b were written apart, and
// only a was looked at when the patterns were made. A § keeps scanners away from invented secrets.
func TestSecrets_AreFoundAndNoOrdinaryLineIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set       string
		hasSecret bool
	}{{"secret_a", true}, {"secret_b", true}, {"ordinary_a", false}, {"ordinary_b", false}} {
		content, err := os.ReadFile(filepath.Join("testdata/secrets", test.set+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(content), "§", "")), "\n")
		for _, line := range lines {
			isMasked := strings.Join(markdown.Lines([]byte("Text.\n"+line)), "\n") != "Text.\n"+line
			if found := len(markdown.Secrets([]byte(line))) > 0; found != test.hasSecret || isMasked != test.hasSecret {
				wrong++
				t.Errorf("%s: %q: found %t, masked %t", test.set, line, found, isMasked)
			}
		}
		t.Logf("%s: %d of %d lines right", test.set, len(lines)-wrong, len(lines))
	}
}

// A private key of several lines is masked in as many, closed or not, and so are secrets in all that is read of a file.
func TestParse_MasksSecrets(t *testing.T) {
	t.Parallel()
	const key = "MIIEpAIBAAKCAQEAtY7dGqZ8m1Xn2kqzV3h5Jr8sP9wQ4uL6"
	token := "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a"
	for name, src := range map[string]string{
		"closed": "# Deploy\n\n-----BEGIN RSA PRIVATE KEY-----\n" + key + "\n" + key + "\n-----END RSA PRIVATE KEY-----\nend\n",
		"open":   "# Deploy\n\n-----BEGIN PRIVATE KEY-----\n" + key + "\n" + key + "\n\nend\n",
		"quoted": "# Deploy\n\n> -----BEGIN OPENSSH PRIVATE KEY-----\n> " + key + "\n> " + key + "\n> -----END OPENSSH PRIVATE KEY-----\nend\n",
		"in everything": "---\ntitle: Deploy with " + token + "\nsummary: " + token + "\ntags: [" + token + "]\n---\nend `" + token +
			"`\n\n```sh\nexport T=" + token + "\n```\n\n[a](https://x:" + token + "@h.example/a)\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, src)
			lines := markdown.Lines([]byte(src))
			shown := fmt.Sprint(doc.Title, doc.Summary, doc.FrontMatter, doc.Links, said.Quotes(doc), said.Places(doc), said.StatusOf(doc, "a.md"), lines,
				doc.Passages(doc.Title, markdown.DefaultLimit()))
			if strings.Contains(shown, key) || strings.Contains(shown, token) || !strings.Contains(shown, "REDACTED") {
				t.Errorf("the document says %s", shown)
			}
			if len(lines) != doc.LineCount || len(lines) != strings.Count(src, "\n") {
				t.Errorf("%d lines of %d", len(lines), strings.Count(src, "\n"))
			}
			if at := slices.Index(lines, "end"); name != "in everything" && (at < 0 || !strings.HasPrefix(strings.Split(src, "\n")[at], "end")) {
				t.Errorf("the last line is the %dth of %q", at, lines)
			}
		})
	}
}

// The file keeps its secrets when a field is set.
func TestSetField_KeepsSecrets(t *testing.T) {
	t.Parallel()
	src := "---\ntitle: a\n---\nAK" + "IAIOSFODNN7EXAMPLE\n"
	got, err := markdown.SetField([]byte(src), "status", "draft")
	if want := strings.Replace(src, "a\n", "a\nstatus: draft\n", 1); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}
