package hooks

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Each field of a project is set by the tool recall, and read somewhere in the package. The methods of the embedded interfaces
// are called without their names.
func TestProject_EachFieldIsSetAndRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	tool, err := os.ReadFile("../../tools/recall.go")
	if err != nil {
		t.Fatal(err)
	}
	for field := range reflect.TypeFor[Project]().Fields() {
		if !regexp.MustCompile(`\b` + field.Name + `: `).Match(tool) {
			t.Errorf("nobody sets %s", field.Name)
		}
		read := regexp.MustCompile(`\bp\.` + field.Name + `\b`)
		if !field.Anonymous && !read.MatchString(code.String()) {
			t.Errorf("nobody reads p.%s", field.Name)
		}
	}
}
