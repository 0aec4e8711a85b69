package main_test

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/golden"
)

// aText matches a literal that people read: it has two words.
var aText = regexp.MustCompile(`\pL{2,}[,:;.]? [\pL%"]`)

// forMachines matches statements of SQL, and patterns.
var forMachines = regexp.MustCompile(`^\s*(SELECT|CREATE|DROP|REINDEX|SET|VACUUM|--) |\(\?i\)`)

// testdata/messages.golden has every message of the program: errors, warnings, lines of the log,
// help texts, what commands print. A reviewer reads them in one place, and sees those that change.
func TestMessages(t *testing.T) {
	t.Parallel()
	messages := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"test", "testdata", ".git"}, d.Name()):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		folder, err := filepath.Rel("../..", filepath.Dir(path))
		for _, text := range textsOf(file) {
			quoted := strconv.Quote(text)
			messages[filepath.ToSlash(folder)+": "+quoted[1:len(quoted)-1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/messages.golden", strings.Join(slices.Sorted(maps.Keys(messages)), "\n")+"\n")
}

// isPattern reports whether a call is of package lazyregexp.
func isPattern(call *ast.CallExpr) bool {
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := function.X.(*ast.Ident)
	return ok && of.Name == "lazyregexp"
}

// textsOf returns the messages of a file: literals of two words or more, and what is logged.
// It leaves out patterns, tags and panics.
func textsOf(file *ast.File) []string {
	var texts []string
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.CallExpr:
			name := calledName(node)
			if name == "MustCompile" || name == "panic" || isPattern(node) {
				return false
			}
			if regexp.MustCompile(`^(Debug|Info|Warn|Error)(Context)?$`).MatchString(name) {
				for _, argument := range node.Args[:min(2, len(node.Args))] {
					texts = append(texts, literal(argument))
				}
			}
		}
		expr, ok := node.(ast.Expr)
		text := literal(expr)
		if !ok || !aText.MatchString(text) {
			return true
		}
		texts = append(texts, text)
		return false
	})
	return slices.DeleteFunc(texts, func(text string) bool { return strings.Trim(text, "…") == "" || forMachines.MatchString(text) })
}

func calledName(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}

// literal returns the text of literals that are joined by +, with "…" for other parts.
func literal(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(expr.Value); err == nil && expr.Kind == gotoken.STRING {
			return text
		}
	case *ast.BinaryExpr:
		if expr.Op == gotoken.ADD {
			return literal(expr.X) + literal(expr.Y)
		}
	}
	return "…"
}
