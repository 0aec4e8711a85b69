package soak_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"
)

// operation is something that happens to files. do returns the file or folder that
// it happened to, "" if there is none.
type operation struct {
	name   string
	weight int
	do     func(*repository) string
}

var operationTable = []operation{
	{"create", 20, (*repository).create},
	{"write", 18, onFile(func(r *repository, name string) { r.Put(name, r.document()) })},
	{"append", 8, onFile((*repository).appendTo)},
	{"edit without change of size", 5, onFile((*repository).sameSize)},
	{"write slowly", 2, onFile((*repository).writeSlowly)},
	{"save by rename", 8, onFile((*repository).saveByRename)},
	{"save by moving away", 4, onFile((*repository).saveByMovingAway)},
	{"spoil", 2, onFile(func(r *repository, name string) { r.Put(name, "---\ntitle: [\n---\n") })},
	{"touch", 2, onFile((*repository).touch)},
	{"chmod", 3, onFile((*repository).chmod)},
	{"delete", 10, onFile(remove)},
	{"rename", 7, onFile(func(r *repository, name string) { r.move(name, r.newPath(path.Dir(name))) })},
	{"move", 5, onFile(func(r *repository, name string) { r.move(name, r.newPath(r.folder())) })},
	{"swap", 2, onFile((*repository).swap)},
	{"junk", 2, onFile((*repository).junk)},
	{"rename folder", 3, onFolder((*repository).renameFolder)},
	{"move folder out", 2, onFolder((*repository).moveOut)},
	{"move folder in", 2, (*repository).moveIn},
	{"delete folder", 1, onFolder(remove)},
	{"delete and make folder", 1, onFolder((*repository).remake)},
	{"switch branch", 1, (*repository).switchBranch},
	{"switch branch and drop changes", 1, (*repository).forceBranch},
}

func total(operations []operation) (sum int) {
	for _, operation := range operations {
		sum += operation.weight
	}
	return sum
}

func onFile(do func(r *repository, name string)) func(*repository) string {
	return on((*repository).file, do)
}

func onFolder(do func(r *repository, name string)) func(*repository) string {
	return on((*repository).subfolder, do)
}

func on(choose func(*repository) string, do func(r *repository, name string)) func(*repository) string {
	return func(r *repository) string {
		name := choose(r)
		if name != "" {
			do(r, name)
		}
		return name
	}
}

func remove(r *repository, name string) { r.Remove(name) }

func (r *repository) create() string {
	name := r.newPath(r.folder())
	r.Put(name, r.document())
	return name
}

func (r *repository) appendTo(name string) {
	r.serial++
	r.Put(name, r.Read(name)+fmt.Sprintf("\nOne more line, %d.\n", r.serial))
}

func (r *repository) sameSize(name string) {
	content := []byte(r.Read(name))
	for i := len(content) - 1; i >= 0; i-- {
		if content[i] >= '0' && content[i] <= '9' {
			content[i] = byte('0' + r.random.IntN(10))
			break
		}
	}
	r.Put(name, string(content))
}

// writeSlowly lets the file be seen half written.
func (r *repository) writeSlowly(name string) {
	content := r.document()
	file, err := os.Create(r.Path(name))
	r.Must(err)
	for _, part := range []string{content[:len(content)/2], content[len(content)/2:]} {
		_, err := file.WriteString(part)
		r.Must(err)
		time.Sleep(time.Duration(r.random.IntN(200)) * time.Millisecond) // as slow writers are
	}
	r.Must(file.Close())
}

func (r *repository) saveByRename(name string) {
	temporary := path.Join(path.Dir(name), r.one([]string{".", "~", ""})+path.Base(name)+".tmp")
	r.Put(temporary, r.document())
	r.Rename(temporary, name)
}

func (r *repository) saveByMovingAway(name string) {
	r.Rename(name, name+"~")
	r.Put(name, r.document())
	r.Remove(name + "~")
}

func (r *repository) touch(name string) {
	now := time.Now()
	r.Must(os.Chtimes(r.Path(name), now, now))
}

// chmod leaves the file readable, but perhaps not for a while.
func (r *repository) chmod(name string) {
	if r.random.IntN(2) == 0 {
		r.Must(os.Chmod(r.Path(name), 0))
		time.Sleep(time.Duration(r.random.IntN(200)) * time.Millisecond) // time to meet it so
	}
	r.Must(os.Chmod(r.Path(name), []os.FileMode{0o400, 0o600, 0o644, 0o755}[r.random.IntN(4)]|0o600))
}

func (r *repository) move(from, to string) {
	r.Rename(from, to)
	r.log = append(r.log, fmt.Sprintf("%q becomes %q", from, to))
}

func (r *repository) swap(name string) {
	other := r.file()
	r.Rename(name, outsideDir+"/swapped")
	if other != name {
		r.Rename(other, name)
	}
	r.Rename(outsideDir+"/swapped", other)
}

// junk puts what is no document beside one.
func (r *repository) junk(name string) {
	junk := path.Join(path.Dir(name), r.one([]string{".hidden.md", "notes.txt", "#doc.md#", "doc.md.orig", ".git.md"}))
	r.Put(junk, r.document())
}

func (r *repository) renameFolder(name string) {
	r.serial++
	r.move(name, fmt.Sprintf("%s/renamed%d", path.Dir(name), r.serial))
}

func (r *repository) moveOut(name string) {
	r.serial++
	r.move(name, fmt.Sprintf("%s/%d", outsideDir, r.serial))
}

func (r *repository) moveIn() string {
	name := r.one(r.list(true, outsideDir))
	if strings.Count(name, "/") != 1 {
		return ""
	}
	r.serial++
	r.move(name, fmt.Sprintf("%s/back%d", r.folder(), r.serial))
	return name
}

func (r *repository) remake(name string) {
	r.Remove(name)
	r.Put(r.newPath(name), r.document())
}

func (r *repository) otherBranch() string {
	for {
		if branch := r.one([]string{"main", "one", "two"}); branch != r.branch {
			return branch
		}
	}
}

func (r *repository) switchBranch() string {
	r.Commit()
	r.branch = r.otherBranch()
	r.Git("switch", "-q", r.branch)
	return r.branch
}

// forceBranch loses what was not committed, but for new files.
func (r *repository) forceBranch() string {
	r.branch = r.otherBranch()
	r.Git("switch", "-q", "-f", r.branch)
	return r.branch
}
