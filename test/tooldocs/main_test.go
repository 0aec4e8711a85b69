package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

const root = "../.."

func TestDocs_AreUpToDate(t *testing.T) {
	t.Parallel()
	want, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; run make generate (-want +got):\n%s", page, diff)
	}
}

// A code is declared in one place, from which this test takes it.
func TestPage_ExplainsEveryErrorCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), "\n## Errors\n")
	explained := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| (\\d) \\| \\w.* \\|$").FindAllStringSubmatch(chapter, -1) {
		explained[row[1]] = row[2]
	}
	want := map[string]string{}
	for _, code := range declaredCodes(t) {
		want[code] = "1"
		if apierror.Code(code).IsUsage() {
			want[code] = "2"
		}
	}
	if diff := cmp.Diff(want, explained); diff != "" {
		t.Errorf("codes in the table of test/tooldocs/page.md.tmpl, with their exit codes (-want +got):\n%s", diff)
	}
}

// declaredCodes returns the constants of type Code that the source of apierror declares.
func declaredCodes(t *testing.T) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "rag", "apierror", "apierror.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Code" {
			for _, value := range spec.Values {
				literal, ok := value.(*ast.BasicLit)
				if !ok {
					t.Fatalf("%v is not a literal", value)
				}
				code, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, code)
			}
		}
		return true
	})
	if len(codes) == 0 {
		t.Fatal("apierror declares no codes")
	}
	return codes
}
