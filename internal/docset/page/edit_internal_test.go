package page

import "testing"

// A document is edited at a known host alone, whatever the configuration of git says.
func TestEditTemplate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ origin, branch, folder, want string }{
		{"https://github.com/us/tool.git", "main", ".", "https://github.com/us/tool/edit/main/{path}"},
		{"ssh://git@gitlab.com/us/group/tool.git", "main", "packages/a b", "https://gitlab.com/us/group/tool/-/edit/main/packages/a%20b/{path}"},
		{"git@bitbucket.org:us/tool", "fix/{path}#?", ".", "https://bitbucket.org/us/tool/src/fix/%7Bpath%7D%23%3F/{path}?mode=edit"},
		{"https://user:secret@codeberg.org/us/tool/", "main", ".", "https://codeberg.org/us/tool/_edit/main/{path}"},
		{"https://example.com/us/tool", "main", ".", ""},
		{"https://github.com.evil.example/us/tool", "main", ".", ""},
		{"https://evil.example/github.com/us/tool", "main", ".", ""},
		{"javascript:alert(1)//github.com/us/tool", "main", ".", ""},
		{"https://github.com/us/tool\njavascript:x", "main", ".", ""},
		{"https://github.com/../tool", "main", ".", ""},
		{"https://github.com/us/tool?x=\"onclick=", "main", ".", ""},
		{"/srv/git/tool.git", "main", ".", ""},
		{"https://github.com/us/tool", "", ".", ""},
	} {
		if got := editTemplate(test.origin, test.branch, test.folder); got != test.want {
			t.Errorf("%q on %q is edited at %q, want %q", test.origin, test.branch, got, test.want)
		}
	}
}
