package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/tools"
)

// Each tool has a command that calls its method, except four: commands activate the project by themselves, doc-types are
// listed for assistants that are about to write, doctor says more than ping, and clean looks for what can be deleted.
func TestTools_HaveCommands(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	called := []string{"activateproject", "listdoctypes", "ping", "deletedocuments"}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range regexp.MustCompile(`\.tools\.(\w+)\(|tools\.Run\([^"]*"(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			called = append(called, strings.ReplaceAll(strings.ToLower(call[1]+call[2]), "_", ""))
		}
	}
	for _, group := range tools.Groups() {
		for _, tool := range group.Tools {
			if !slices.Contains(called, strings.ReplaceAll(tool.Name, "_", "")) {
				t.Errorf("no command calls %s", tool.Name)
			}
		}
	}
}

// Each command is called in a transcript, except recall, which hooks call.
func TestCommands_HaveTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/commands/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var transcripts strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		transcripts.Write(text)
	}
	for _, command := range newCommand(io.Discard).Commands() {
		if command.Name() != "recall" && !regexp.MustCompile(`\$ compound-docs `+command.Name()+`\b`).MatchString(transcripts.String()) {
			t.Errorf("no transcript calls %s", command.Name())
		}
	}
}
