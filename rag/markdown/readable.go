package markdown

import "bytes"

// checkReadable returns an error for a Git LFS pointer, and for a file that Ansible Vault or SOPS has encrypted.
func checkReadable(src []byte, fields map[string]any) error {
	const remedy = "decrypt it, or leave it out of the documents"
	if fields == nil && bytes.Contains(src, []byte("ENC[AES256_GCM,")) { // SOPS may have encrypted the whole file as YAML or JSON
		fields, _, _ = decodeYAML(linesOf(string(src)), 1)
	}
	sops, _ := fields["sops"].(map[string]any)
	switch {
	case bytes.HasPrefix(src, []byte("version https://git-lfs.github.com/spec/v1")):
		return errorf(1, "is a pointer of Git LFS; get the text with git lfs pull")
	case bytes.HasPrefix(src, []byte("$ANSIBLE_VAULT;")):
		return errorf(1, "is encrypted by Ansible Vault; %s", remedy)
	case sops["mac"] != nil:
		return errorf(1, "is encrypted by SOPS; %s", remedy)
	default:
		return nil
	}
}
