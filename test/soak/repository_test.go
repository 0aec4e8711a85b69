package soak_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/gitrepo"
)

const (
	docsDir     = "csharp-compounding-docs"
	externalDir = "manual"
	outsideDir  = "elsewhere" // what is moved out of both goes there
)

// repository is a git repository whose files change at random. Its changes depend on the seed alone: every
// choice is made from the files on disk, and nobody else changes them.
type repository struct {
	*gitrepo.Repo

	random *rand.Rand
	branch string
	serial int
	log    []string
}

func newRepository(t *testing.T, seed uint64) *repository {
	t.Helper()
	r := &repository{Repo: gitrepo.New(t), random: rand.New(rand.NewPCG(seed, 0)), branch: "main"}
	r.Put(".csharp-compounding-docs/config.json", `{"project_name": "soak", "external_docs": {"path": "./manual"}}`)
	// git keeps no folder that is empty, and a project whose external folder is
	// missing cannot be activated.
	r.Put(externalDir+"/contents.txt", "No document.")
	for range 20 {
		r.Put(r.newPath(r.folder()), r.document())
	}
	r.Git("init", "-q", "-b", "main")
	r.Commit()
	for _, branch := range []string{"one", "two"} {
		r.Git("branch", branch)
	}
	return r
}

// list returns the files or folders below the given ones, in a fixed order.
func (r *repository) list(folders bool, dirs ...string) []string {
	var names []string
	for _, dir := range dirs {
		_ = filepath.WalkDir(r.Path(dir), func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() == folders {
				relative, _ := filepath.Rel(r.Root, name)
				names = append(names, filepath.ToSlash(relative))
			}
			return nil // a folder that does not exist has nothing
		})
	}
	return names
}

// file chooses an existing file, "" if there is none.
func (r *repository) file() string {
	return r.one(slices.DeleteFunc(r.list(false, docsDir, externalDir), func(name string) bool { return filepath.Ext(name) != ".md" }))
}

// subfolder chooses an existing folder that is not the root of either tree, nor
// of a doc-type.
func (r *repository) subfolder() string {
	return r.one(slices.DeleteFunc(r.list(true, docsDir, externalDir), func(name string) bool {
		return strings.Count(name, "/") < 2
	}))
}

func (r *repository) one(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[r.random.IntN(len(names))]
}

// folder chooses a folder for a file, which need not exist.
func (r *repository) folder() string {
	base := docsDir + "/" + r.one([]string{"problems", "insights"})
	if r.random.IntN(4) == 0 {
		base = externalDir + "/book"
	}
	for range r.random.IntN(4) {
		base += "/" + r.one([]string{"a", "b", "c d", "é"})
	}
	return base
}

func (r *repository) newPath(folder string) string {
	r.serial++
	return fmt.Sprintf("%s/%s%d.md", folder, r.one([]string{"doc-", "adr-", "with space ", "ünï-", "-dash", "new line "}), r.serial)
}

// spelled returns a number digit by digit in words: another text for each number, of ten words.
func spelled(n int) string {
	words := [...]string{" zero", " one", " two", " three", " four", " five", " six", " seven", " eight", " nine"}
	var text strings.Builder
	for _, digit := range fmt.Sprint(n) {
		text.WriteString(words[digit-'0'])
	}
	return text.String()
}

// document is valid in every folder, and has from one passage to many.
func (r *repository) document() string {
	r.serial++
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: Matter %d\ndate: 2026-01-02\nsummary: What is said in%s\nsignificance: correctness\n", r.random.IntN(30), spelled(r.serial))
	b.WriteString("problem_type: bug\nsymptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n")
	b.WriteString("insight_type: business_logic\nimpact_area: everything\n")
	if level := r.random.IntN(6); level < 2 {
		fmt.Fprintf(&b, "promotion_level: %s\n", []string{"important", "critical"}[level])
	}
	if r.random.IntN(3) == 0 {
		n := r.random.IntN(60)
		fmt.Fprintf(&b, "supersedes: [doc-%d.md, \"%d\"]\namended_by: \"[[adr-%d]]\"\n", n, n+1, n+2)
	}
	b.WriteString("---\n\n")
	for section := range r.random.IntN(5) {
		fmt.Fprintf(&b, "Text %d, see [another](doc-%d.md).\n\n## Section %d\n\n", r.random.IntN(100), r.random.IntN(60), section)
		b.WriteString(strings.Repeat(fmt.Sprintf("Words of matter %d.\n", r.random.IntN(50)), r.random.IntN(120)))
	}
	return b.String()
}

// step does one operation, and logs it.
func (r *repository) step() {
	for operations := weighted(); ; {
		operation := operations[r.random.IntN(len(operations))]
		if name := operation.of(r); name != "" { // else there is nothing to do it to
			operation.do(r, name)
			r.log = append(r.log, fmt.Sprintf("%s %s %q", time.Now().Format("15:04:05.000"), operation.name, name))
			return
		}
	}
}
