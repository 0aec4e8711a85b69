package soak_test

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// operation happens to a file, a folder or a branch: of chooses one, or returns "", and do changes it.
type operation struct {
	name   string
	weight int
	of     func(*repository) string
	do     func(r *repository, name string)
}

var operationTable = []operation{
	{"create", 20, (*repository).newFile, (*repository).write},
	{"write", 18, (*repository).file, (*repository).write},
	{"append", 8, (*repository).file, (*repository).appendTo},
	{"edit without change of size", 5, (*repository).file, (*repository).sameSize},
	{"write slowly", 2, (*repository).file, (*repository).writeSlowly},
	{"save by rename", 8, (*repository).file, (*repository).saveByRename},
	{"save by moving away", 4, (*repository).file, (*repository).saveByMovingAway},
	{"spoil", 2, (*repository).file, func(r *repository, name string) { r.Put(name, "---\ntitle: [\n---\n") }},
	{"touch", 2, (*repository).file, (*repository).touch},
	{"chmod", 3, (*repository).file, (*repository).chmod},
	{"delete", 10, (*repository).file, (*repository).Remove},
	{"rename", 7, (*repository).file, func(r *repository, name string) { r.move(name, r.newPath(path.Dir(name))) }},
	{"move", 5, (*repository).file, func(r *repository, name string) { r.move(name, r.newPath(r.folder())) }},
	{"swap", 2, (*repository).file, (*repository).swap},
	{"junk", 2, (*repository).file, (*repository).junk},
	{"rename folder", 3, (*repository).subfolder, (*repository).renameFolder},
	{"move folder out", 2, (*repository).subfolder, (*repository).moveOut},
	{"move folder in", 2, (*repository).outsideFolder, (*repository).moveIn},
	{"delete folder", 1, (*repository).subfolder, (*repository).Remove},
	{"delete and make folder", 1, (*repository).subfolder, (*repository).remake},
	{"switch branch", 1, (*repository).otherBranch, (*repository).switchBranch},
	{"switch branch and drop changes", 1, (*repository).otherBranch, (*repository).forceBranch},
}

// weighted has each operation as often as its weight says.
func weighted() (operations []operation) {
	for _, o := range operationTable {
		operations = append(operations, slices.Repeat([]operation{o}, o.weight)...)
	}
	return operations
}

func (r *repository) newFile() string { return r.newPath(r.folder()) }

func (r *repository) write(name string) { r.Put(name, r.document()) }

func (r *repository) appendTo(name string) {
	r.serial++
	r.Put(name, r.Read(name)+fmt.Sprintf("\nOne more line,%s.\n", spelled(r.serial)))
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

// junk puts a file that is no document beside one.
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

// outsideFolder chooses a folder that was moved out.
func (r *repository) outsideFolder() string {
	if name := r.one(r.list(true, outsideDir)); strings.Count(name, "/") == 1 {
		return name
	}
	return ""
}

func (r *repository) moveIn(name string) {
	r.serial++
	r.move(name, fmt.Sprintf("%s/back%d", r.folder(), r.serial))
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

func (r *repository) switchBranch(name string) {
	r.Commit()
	r.branch = name
	r.Git("switch", "-q", name)
}

// forceBranch loses all edits that were not committed, except new files.
func (r *repository) forceBranch(name string) {
	r.branch = name
	r.Git("switch", "-q", "-f", name)
}
