package lint_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/docset/lint"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/test/gitrepo"
)

func BenchmarkRun_2000Documents(b *testing.B) {
	repo := gitrepo.New(b)
	repo.Git("init", "-q", "-b", "main")
	repo.Put(config, `{"project_name": "large"}`)
	demo := filepath.Join("..", "..", "..", "examples", "demo-project", docs, "codebase", "tracking-pipeline-handbook-20250604.md")
	words, err := os.ReadFile(demo)
	repo.Must(err)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		repo.Put(fmt.Sprintf("src/%d.go", i), "package src\n")
		text := strings.Fields(string(words))[200:]
		random.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
		body := fmt.Sprintf("# %d\n\n%s\n\n## More\n\n%s [link](%d.md)\n",
			i, strings.Join(text[:200], " "), strings.Join(text[200:400], " "), random.IntN(2000))
		repo.Put(fmt.Sprintf("%scodebase/%d.md", docs, i), codebase(fmt.Sprintf("src/%d.go", i))+body)
	}
	commit(repo, "2026-02-03")
	p, err := project.Load(repo.Root)
	repo.Must(err)
	for b.Loop() {
		if report, err := lint.Run(b.Context(), p); err != nil || report.Documents != 2000 || len(report.Findings) < 2000 {
			b.Fatalf("%d documents, %d findings, %v", report.Documents, len(report.Findings), err)
		}
	}
}
