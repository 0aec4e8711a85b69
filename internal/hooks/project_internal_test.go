package hooks

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Each field of a project is read somewhere in the package. The methods of the embedded interfaces are called without
// their names.
func TestProject_EachFieldIsRead(t *testing.T) {
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
	for field := range reflect.TypeFor[Project]().Fields() {
		read := regexp.MustCompile(`\bp\.` + field.Name + `\b`)
		if !field.Anonymous && !read.MatchString(code.String()) {
			t.Errorf("nobody reads p.%s", field.Name)
		}
	}
}
