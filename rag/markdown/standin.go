package markdown

import (
	"bytes"

	"github.com/compound-docs/compound-docs/internal/project/yamlvalue"
)

// checkStandIn returns an error for a file that stands for another text: a pointer of Git LFS, or a file that Ansible Vault
// or SOPS has encrypted.
func checkStandIn(src []byte, frontMatter map[string]any) error {
	const remedy = "decrypt it, or leave it out of the documents"
	switch {
	case bytes.HasPrefix(src, []byte("version https://git-lfs.github.com/spec/v1")):
		return errorf(1, "is a pointer of Git LFS; get the text with git lfs pull")
	case bytes.HasPrefix(src, []byte("$ANSIBLE_VAULT;")):
		return errorf(1, "is encrypted by Ansible Vault; %s", remedy)
	case hasSOPS(frontMatter) || bytes.Contains(src, []byte("ENC[AES256_GCM,")) && hasSOPS(wholeYAML(src)):
		return errorf(1, "is encrypted by SOPS; %s", remedy)
	}
	return nil
}

// hasSOPS reports whether fields have what SOPS adds to those that it encrypts.
func hasSOPS(fields map[string]any) bool {
	added, _ := fields["sops"].(map[string]any)
	return added["mac"] != nil
}

// wholeYAML returns the fields of a file that is YAML or JSON as a whole, nil for another.
func wholeYAML(src []byte) map[string]any {
	decoded, err := yamlvalue.Decode(string(src), yamlvalue.Limits{Depth: yamlLimits.Depth, Values: yamlLimits.Values, Text: len(src)})
	if err != nil {
		return nil
	}
	fields, _ := decoded.Value.(map[string]any)
	return fields
}
