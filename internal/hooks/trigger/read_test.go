package trigger_test

import (
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
)

// Lines that write files are edits, with their texts.
func TestRead_Writes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cat > a/b.py <<'EOF'\nx = float(y)\nEOF": "a/b.py x = float(y)\n",
		"echo 'x' >> b.py":                        "b.py x",
		"printf 'x\\n' | sudo tee -a b.py":        "b.py x\\n",
		"sed -i 's/a/b/' b.py":                    "b.py s/a/b/",
		"perl -pi -e 's/a/b/' b.py":               "b.py s/a/b/",
		"cd a && cp /tmp/x b.py":                  "a/b.py ",
		"(cd a && make); cp /tmp/x b.py":          "b.py ",
		"bash <<E\ncd a\nE\ncp /tmp/x b.py":       "b.py ",
		"mv x.py a/":                              "a/x.py ",
		"git apply <<'EOF'\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-old\n+new\nEOF":           "b.py new\n",
		"python - <<'EOF'\nopen('b.py', 'w').write('x')\nEOF":                               "b.py open('b.py', 'w').write('x')\n\n-",
		"python -c \"from pathlib import Path; Path('b.py').write_text('x')\"":              "b.py \n-c\nfrom pathlib import Path; Path('b.py').write_text('x')",
		"fd --fish > ~/.config/fd.fish; echo x > $HOME/a":                                   "",
		"cat b.py && grep x b.py > /dev/null 2>&1":                                          "",
		"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: 1.sql\n+x\n*** End Patch\nEOF": "",
	} {
		var got []string
		for _, edit := range trigger.Read(line, "").Writes {
			got = append(got, edit.Path+" "+edit.New)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q writes %q, want %q", line, got, want)
		}
	}
}
