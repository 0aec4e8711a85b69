package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// Under the name that go install gives it, the program says what it is called, on stderr.
func TestVersion_SaysTheProgramsName(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"compound-docs": "", "server": "run: mv "} {
		program := filepath.Join(t.TempDir(), name)
		if err := os.Link(testenv.Program(t), program); err != nil {
			t.Skip("no hard links here:", err)
		}
		command := exec.CommandContext(t.Context(), program, "version", "--json")
		var stderr strings.Builder
		command.Stderr = &stderr
		if output, err := command.Output(); err != nil || !strings.HasPrefix(string(output), "{") {
			t.Errorf("%s version --json prints %s, %v", name, output, err)
		}
		command = exec.CommandContext(t.Context(), program, "version")
		stderr.Reset()
		command.Stderr = &stderr
		if output, err := command.Output(); err != nil || !strings.HasPrefix(string(output), "compound-docs ") {
			t.Errorf("%s version prints %s, %v", name, output, err)
		}
		want := strings.ReplaceAll(says, "mv ", "mv "+program+" "+filepath.Join(filepath.Dir(program), "compound-docs"))
		if said := stderr.String(); says == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s version says %q, want %q", name, said, want)
		}
	}
}
