// Package toolexample reads the example file of a tool, tools/testdata/examples/<tool>.json. It has
// the text of docs/tools.md about the tool, and cases: calls with their answers. The
// tests of package tools run every case and renew the answers with -update. The documentation, the
// conformance tests and the container tests use the first case that succeeds.
//
// The calls are made in testdata/project. Its path and path hash differ from run to run, so the
// files have [Root] and [PathHash] instead.
package toolexample

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/project"
)

// Placeholders in the files for the root of the project and for its path hash.
const (
	Root     = "/home/user/my-project"
	PathHash = "a1b2c3d4e5f60718"
)

// Branch is the one on which the cases expect the project to be active.
const Branch = "feature/new-feature"

// File is the example file of one tool.
type File struct {
	// Fields explains fields of the answer by their path, or by the end of it. Only
	// those are here whose schema has no description: each session of a client pays
	// for those of the schemas.
	Fields map[string]string `json:"fields,omitempty"`
	// NotShown has the paths of the fields that no case shows, for example because
	// they need a very large project. A path covers what is inside the field.
	NotShown []string `json:"not_shown,omitempty"`
	// Cases are run one after the other, on one server.
	Cases []Case `json:"cases"`
}

// Case is a call with what it answers: an Answer if the tool declares an output
// schema, or else a Text, or an Error.
type Case struct {
	Name      string          `json:"case"`
	Before    Before          `json:"before,omitzero"`
	Arguments json.RawMessage `json:"arguments"`
	Answer    json.RawMessage `json:"answer,omitempty"`
	Text      string          `json:"text,omitempty"`
	Error     *Error          `json:"error,omitempty"`
}

// Before lists the steps before a call, in order.
type Before struct {
	// Files are written into the project, by their path relative to its root.
	Files map[string]string `json:"files,omitempty"`
	// Handbook has files that are ingested into the handbook.
	Handbook map[string]string `json:"handbook,omitempty"`
	// Activate activates the project and waits until its index is complete.
	Activate bool `json:"activate,omitempty"`
	// ModelAnswers is the language model's answer from now on.
	ModelAnswers string `json:"model_answers,omitempty"`
	// OllamaFails is the path of Ollama's API that fails from now on.
	OllamaFails string `json:"ollama_fails,omitempty"`
}

// Error is the error of a failed call.
type Error struct {
	Error   bool            `json:"error"`
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
}

// Read reads the example file of a tool; root is the repository's.
func Read(root, tool string) (File, error) {
	path := filepath.Join(root, "tools", "testdata", "examples", tool+".json")
	content, err := os.ReadFile(path)
	if err != nil {
		return File{}, fmt.Errorf("every tool needs an example file: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var f File
	if err := decoder.Decode(&f); err != nil {
		return File{}, fmt.Errorf("read %s: %w", path, err)
	}
	return f, nil
}

// Example returns the first case that succeeds.
func (f File) Example() (Case, error) {
	i := slices.IndexFunc(f.Cases, func(c Case) bool { return c.Answer != nil || c.Text != "" })
	if i < 0 {
		return Case{}, errors.New("the example file has no case that succeeds; add one, and run go test ./tools -update")
	}
	return f.Cases[i], nil
}

// ReadExample returns the first case of a tool that succeeds.
func ReadExample(root, tool string) (Case, error) {
	file, err := Read(root, tool)
	if err != nil {
		return Case{}, err
	}
	return file.Example()
}

// Failures returns the cases that fail, the first of each error code.
func (f File) Failures() (failures []Case) {
	for _, c := range f.Cases {
		sameCode := func(other Case) bool { return other.Error.Code == c.Error.Code }
		if c.Error != nil && !slices.ContainsFunc(failures, sameCode) {
			failures = append(failures, c)
		}
	}
	return failures
}

// ArgumentsAt returns the arguments for a project at root.
func (c Case) ArgumentsAt(root string) json.RawMessage {
	return json.RawMessage(strings.NewReplacer(Root, root, PathHash, project.PathHash(root)).Replace(string(c.Arguments)))
}
