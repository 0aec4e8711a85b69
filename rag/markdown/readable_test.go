package markdown_test

import (
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// Pointers and encrypted files are no documents, also where any markdown is read. A page about them is a document.
func TestParse_PointersAndEncryptedFiles(t *testing.T) {
	t.Parallel()
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n"
	const sops = "sops:\n  mac: ENC[AES256_GCM,data:Zm9v,type:str]\n  version: 3.9.0\n"
	for _, test := range []struct{ src, want string }{
		{pointer, "git lfs pull"},
		{"$ANSIBLE_VAULT;1.1;AES256\n6238", "Ansible Vault"},
		{"---\ntitle: ENC[AES256_GCM,data:Zm9v]\n" + sops + "---\n\nText.\n", "SOPS"},
		{"title: x\n" + sops, "SOPS"},
		{`{"data": "ENC[AES256_GCM,data:Zm9v]", "sops": {"mac": "ENC[AES256_GCM,data:Zm9v]"}}`, "SOPS"},
		{"# Pointers\n\nA pointer begins so:\n\n```\n" + pointer + "```\n", ""},
		{"# Secrets\n\n```yaml\n" + sops + "```\n", ""},
		{"---\nsops: we use it\n---\n\n$ANSIBLE_VAULT;1.1 is the first line.\n", ""},
	} {
		_, err := markdown.Parse([]byte(test.src))
		_, errAny := markdown.ParseAny([]byte(test.src))
		for _, err := range []error{err, errAny} {
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q: error %v, want one with %q", test.src, err, test.want)
			}
		}
	}
}
