package project

import (
	"encoding/json"
	"errors"
	pathpkg "path"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
	"github.com/compound-docs/compound-docs/test/workbound"
)

// wantConfigError fails when an error is not one that tells its reader what to do.
func wantConfigError(t *testing.T, err error) {
	t.Helper()
	var configErr *ConfigError
	if !errors.As(err, &configErr) || configErr.Path == "" || configErr.Problem == "" || configErr.Hint == "" {
		t.Errorf("%#v is not a complete *ConfigError", err)
	}
}

// FuzzSchema compiles a schema file, and checks front matter with it.
func FuzzSchema(f *testing.F) {
	front := []byte(`{"title": "t", "a": ["b", 1, null], "c": {"d": true}}`)
	for _, seed := range []string{
		"required: [a]\nproperties: {a: {items: {enum: [b]}}, c: {$ref: '#/properties/a'}}",
		"type: object\nproperties:\n  a: {type: string, pattern: '^b'}\n",
		`{"$ref": "#/$defs/x", "$defs": {"x": {"anyOf": [{"required": ["z"]}, {"not": {}}]}}}`,
		`{"$schema": "http://json-schema.org/draft-04/schema#", "dependencies": {"a": ["b"]}, "items": [{}]}`,
		`{"$id": "x", "$anchor": "y", "$ref": "x#y", "unevaluatedProperties": false}`,
		"a: &b [*b]\n? c\n: !!int 1\n<<: {}\n",
	} {
		f.Add([]byte(seed), front)
	}
	f.Fuzz(func(t *testing.T, data, frontMatter []byte) {
		var (
			compiled *jsonschema.Schema
			err      error
		)
		workbound.Check(t, len(data), memoryPerByte, func() { compiled, err = compileSchema(data) })
		if err != nil {
			wantConfigError(t, err)
			return
		}
		dt := DocType{Name: "x", Folder: "x", schemas: []lazySchema{func() *jsonschema.Schema { return compiled }}}
		var value map[string]any
		if json.Unmarshal(frontMatter, &value) != nil {
			return
		}
		var violations []Violation
		workbound.Check(t, len(data)+len(frontMatter), memoryPerByte, func() { violations = dt.Validate(value) })
		for _, v := range violations {
			if v.Problem == "" || v.Expected == "" {
				t.Errorf("incomplete violation %+v", v)
			}
		}
	})
}

// memoryPerByte is how many bytes of memory a schema may take for each of its bytes. A compiled
// schema of one keyword fits.
const memoryPerByte = 20_000

// compileSchema compiles a schema file as readSchema does.
func compileSchema(data []byte) (*jsonschema.Schema, error) {
	doc, err := parseYAML("schema.yaml", data)
	if err != nil {
		return nil, err
	}
	compiled, err := jsonschema.Compile(map[string]any{"schema": doc}, "schema", "")
	if e, ok := errors.AsType[*jsonschema.Error](err); ok {
		err = &ConfigError{Path: "schema.yaml", Key: e.Key, Problem: e.Problem, Hint: e.Hint}
	}
	return compiled, err
}

// FuzzPatterns matches paths against patterns of external_docs. Nothing of git's or of the
// project's own documents ever matches, and nothing in a folder that a walk skips.
func FuzzPatterns(f *testing.F) {
	for _, seed := range [][3]string{
		{"**/*.md", "**/node_modules/**", "a/node_modules/b.md"},
		{"./guide/*.{md,markdown}", "guide/old/**", "guide/old/a.md"},
		{"[!a]*[a-z]?", "{a,b/**}", "b/c"},
		{"**", "", "docs/own/.GIT/config"},
		{"*{a,}*{a,}*{a,}*{a,}*{a,}*{a,}b", "**/**/**/a/**", strings.Repeat("a", 200)},
		{strings.Repeat("**/", 100) + "b", strings.Repeat("*a", 200), strings.Repeat("a/", 500) + "c"},
		{`\[a\{`, "own/**", "own/x/../../docs/y.md"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, include, exclude, path string) {
		const longest = 500 // that the config's schema allows
		if len(include) > longest || len(exclude) > longest || len(path) > 4096 || pathpkg.IsAbs(path) {
			return
		}
		p := &Project{ConfigPath: "config.json"}
		external := External{privateFolders: []string{"docs/own"}}
		var err error
		if external.include, err = p.patterns("include_patterns", []string{include}); err != nil {
			wantConfigError(t, err)
			return
		}
		if external.exclude, err = p.patterns("exclude_patterns", []string{exclude}); err != nil {
			wantConfigError(t, err)
			return
		}
		var matched bool
		// Each alternative makes a text and throws it away.
		workbound.Check(t, maxAlternatives*(len(include)+len(exclude)), 16, func() { matched = external.Match(path) })
		if matched != external.Match("./"+path) {
			t.Errorf("%q matches %v, and not so with ./ before it", path, matched)
		}
		if matched && (holdsGit(path) || strings.HasPrefix(pathpkg.Clean(path), "docs/own/")) {
			t.Errorf("%q matches, which is private", path)
		}
		for dir := pathpkg.Dir(pathpkg.Clean(path)); matched && dir != "." && dir != "/"; dir = pathpkg.Dir(dir) {
			if external.Prune(dir) {
				t.Errorf("%q matches, and a walk skips %q", path, dir)
			}
		}
	})
}

func FuzzGitHead(f *testing.F) {
	f.Add("ref: refs/heads/main")
	f.Add("refs/heads/a/../../b")
	f.Add("refs/heads/.hidden")
	f.Fuzz(func(t *testing.T, ref string) {
		if root := "/repo/.git"; isRefName(ref) && !isInside(root, root+"/"+ref) {
			t.Errorf("%q leaves the git folder", ref)
		}
	})
}
