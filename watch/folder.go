// Package watch keeps an index in step with files on disk: it walks folders,
// compares what is there with what the index knows, and hands over what differs.
// It knows files and when they change; it must not know SQL, markdown or
// embedding, and drives the [Indexer] that it declares.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"github.com/compound-docs/compound-docs/internal/document"
)

// maxFileSize is the largest file that is read, in bytes. A larger one is no
// document that a person wrote.
const maxFileSize = 4 << 20

// Folder is a tree of files that belong in an index.
type Folder struct {
	// Dir is the folder's absolute path. Nothing outside it is read: symbolic
	// links to files are followed as long as they lead to a file of the folder
	// that Match takes too, and those to folders are not.
	Dir string
	// Inside, if not "", is a folder above Dir that Dir must not lead out of by a
	// symbolic link, nor into a hidden folder. If it is Dir itself, Dir must not
	// lead over a symbolic link at all.
	Inside string
	// Prefix stands before every path in the index, "" for none.
	Prefix string
	// Match says which files belong, by their path in Dir, with / separators.
	Match func(path string) bool
	// Prune, if not nil, says which folders hold nothing that matches.
	Prune func(dir string) bool
	// MayBeMissing makes a folder that does not exist an empty one.
	MayBeMissing bool
}

// entry is a file that was found.
type entry struct {
	path string // in the index
	name string // in the folder
	// stamp is what the file system says of it; its hash is not filled.
	stamp document.Stamp
	// linked is set when a symbolic link leads to the file.
	linked bool
}

// walk calls visit for every file of the folder that matches, and skipped for
// every one that is no document or cannot be looked at, and for folders that
// cannot be looked into. Hidden files and folders are passed over.
func (f Folder) walk(ctx context.Context, root *os.Root, visit func(entry), skipped func(entry, error)) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if ctxErr := context.Cause(ctx); ctxErr != nil {
			return ctxErr
		}
		if err != nil {
			if name == "." {
				return err
			}
			skipped(entry{path: path.Join(f.Prefix, name), name: name}, cmp.Or(checkName(name), err))
			return nil
		}
		if d.IsDir() {
			if f.skips(name) {
				return fs.SkipDir
			}
			return nil
		}
		e, err := f.inspect(root, name, d.Type(), d.Info)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			skipped(e, err)
		default:
			visit(e)
		}
		return nil
	})
}

// find returns what walk would say of one path of the folder, the error being
// [fs.ErrNotExist] if that is nothing.
func (f Folder) find(root *os.Root, name string) (entry, error) {
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return entry{path: path.Join(f.Prefix, name), name: name}, err
	}
	return f.inspect(root, name, info.Mode().Type(), func() (fs.FileInfo, error) { return info, nil })
}

// inspect is find for a path of which is known what it is itself, and what it
// leads to is not: own says the rest of the former.
func (f Folder) inspect(
	root *os.Root, name string, ownType fs.FileMode, own func() (fs.FileInfo, error),
) (entry, error) {
	e := entry{path: path.Join(f.Prefix, name), name: name, linked: ownType&fs.ModeSymlink != 0}
	switch {
	case ownType.IsDir():
		return e, fs.ErrNotExist
	case hidden(name) || !f.Match(name):
		if e.linked && !f.skips(name) && leadsToFolderElsewhere(root, name) {
			return e, &unfitError{"is a symbolic link to a folder elsewhere, which is not followed; put the folder itself there"}
		}
		return e, fs.ErrNotExist
	}
	if e.linked {
		own = func() (fs.FileInfo, error) { return follow(root, name) }
	}
	info, err := own()
	if err == nil {
		err = checkName(name)
	}
	if err == nil && e.linked {
		err = f.covered(root, name)
	}
	if err == nil {
		err = fit(info)
	}
	if err == nil {
		e.stamp = StampOf(info)
	}
	return e, err
}

// skips reports whether a folder, by its path in f, is passed over with all that
// is below it.
func (f Folder) skips(name string) bool {
	return name != "." && (hidden(name) || f.Prune != nil && f.Prune(name))
}

func hidden(name string) bool { return path.Base(name)[0] == '.' }

// Covers reports whether a walk would visit a file with that path in the folder:
// it matches, and neither it nor a folder above it is passed over.
func (f Folder) Covers(name string) bool {
	if hidden(name) || !f.Match(name) {
		return false
	}
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if f.skips(dir) {
			return false
		}
	}
	return true
}

// read returns the file's bytes with the stamp that they had. A file
// that changes meanwhile is an error: its next event or scan reads it again.
// Other errors are those of look.
func read(root *os.Root, e entry) (content []byte, current entry, err error) {
	target, err := visible(root, e.name)
	if err != nil {
		return nil, e, err
	}
	// A pipe must not be waited for.
	file, err := root.OpenFile(filepath.FromSlash(target), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, e, explain(root, e.name, err)
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	before, err := file.Stat()
	if err != nil {
		return nil, e, err
	}
	if err := fit(before); err != nil {
		return nil, e, err
	}
	content, err = io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err != nil {
		return nil, e, err
	}
	after, err := file.Stat()
	if err != nil {
		return nil, e, err
	}
	e.stamp = StampOf(after)
	if int64(len(content)) != e.stamp.Size || StampOf(before) != e.stamp {
		return nil, e, errChanged
	}
	e.stamp.ChangeTime = provenTime(e.stamp.ChangeTime, time.Now())
	return content, e, nil
}

// errChanged is a file that is being written.
var errChanged = fmt.Errorf("%w: it was being written when it was read", document.ErrChanged)

// Read returns one file of the folder, by its path in it. The error is
// [fs.ErrNotExist] when there is none.
func (f Folder) Read(name string) (file document.File, err error) {
	root, err := f.open()
	if err != nil {
		return document.File{}, err
	}
	defer func() {
		if closeErr := root.Close(); err == nil {
			err = closeErr
		}
	}()
	if f.Match != nil {
		if err := f.covered(root, name); err != nil {
			return document.File{}, err
		}
	}
	content, e, err := read(root, entry{path: path.Join(f.Prefix, name), name: name})
	if err != nil {
		return document.File{}, err
	}
	return e.file(content), nil
}

func (e entry) file(content []byte) document.File {
	return document.File{
		Path: e.path, Content: content,
		Size: e.stamp.Size, ModTime: e.stamp.ModTime, ChangeTime: e.stamp.ChangeTime, Inode: e.stamp.Inode,
	}
}
