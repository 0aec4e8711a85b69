package ownruns_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/ownruns"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

func TestRead(t *testing.T) {
	t.Parallel()
	repo := gitrepo.At(t, t.TempDir())
	for name, content := range map[string]string{
		"Makefile":                 "test:\n\t@go test ./...\n",
		"package.json":             "{\n  \"scripts\": {\n    \"build\": \"tsc\"\n  }\n}\n",
		"README.md":                "# A\n\n```sh\n$ make up\n```\n\n```go\nfunc a()\n```\n",
		".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: |\n          npm ci\n          npm test\n      - uses: x\n",
		".github/ISSUE.yml":        "run: not this\n",
		".gitlab-ci.yml":           "test:\n  script:\n    - cargo test\n  stage: test\n",
	} {
		repo.Put(name, content)
	}
	var got []string
	for _, c := range ownruns.Read(repo.Root) {
		got = append(got, fmt.Sprintf("%s:%d %q", c.File, c.Line, c.Text))
	}
	want := []string{
		`Makefile:2 "go test ./..."`, `package.json:3 "tsc"`, `README.md:4 "make up"`,
		`.github/workflows/ci.yml:4 "npm ci\nnpm test\n"`, `.gitlab-ci.yml:3 "cargo test"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := ownruns.Read(t.TempDir()); got != nil {
		t.Errorf("an empty folder has %v", got)
	}
}
