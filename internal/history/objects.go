package history

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Version is a file of the folder as a commit has it.
type Version struct{ Commit, Path string }

// Object is the content of a version.
type Object struct {
	ID     string // git's name of the bytes; "" if the commit has no such file or folder
	Folder bool
	Size   int64 // in bytes
}

// Objects returns the objects of versions, in their order.
func (f Folder) Objects(ctx context.Context, versions []Version) ([]Object, error) {
	objects := make([]Object, len(versions))
	var input strings.Builder
	for _, v := range versions {
		// Git cannot be asked for a name of several lines, and must find no such file.
		fmt.Fprintf(&input, "%s:%s\n", v.Commit, strings.ReplaceAll(path.Join(f.name, v.Path), "\n", mark))
	}
	answered := 0
	err := f.run(ctx, strings.NewReader(input.String()), func(output io.Reader) error {
		for lines := bufio.NewScanner(output); answered < len(versions) && lines.Scan(); answered++ {
			if fields := strings.Fields(lines.Text()); len(fields) == 3 {
				objects[answered] = parseObject(fields[0], fields[1], fields[2])
			}
		}
		return nil
	}, "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
	if err != nil {
		return nil, err
	}
	if answered != len(versions) {
		return nil, fmt.Errorf("git cat-file answered %d of %d names", answered, len(versions))
	}
	return objects, nil
}

func parseObject(id, kind, size string) Object {
	bytes, err := strconv.ParseInt(size, 10, 64)
	switch {
	case kind == "tree":
		return Object{ID: id, Folder: true}
	case kind != "blob" || err != nil:
		return Object{}
	}
	return Object{ID: id, Size: bytes}
}

const (
	maxContents = maxOutput / 2 // bytes from which a run of git is asked for no other object
	maxContent  = 4 << 20       // bytes of one object
)

// Contents calls visit with the content of each object, which must be a file. It leaves out objects of more
// than 4 MiB. visit must not keep the content.
func (f Folder) Contents(ctx context.Context, objects []Object, visit func(object Object, content []byte)) error {
	objects = slices.DeleteFunc(slices.Clone(objects), func(o Object) bool { return o.Size > maxContent })
	for len(objects) > 0 {
		var input strings.Builder
		count := 0
		for size := int64(0); count < len(objects) && size < maxContents; count++ { // at least one
			size += objects[count].Size
			input.WriteString(objects[count].ID + "\n")
		}
		batch := objects[:count]
		objects = objects[count:]
		err := f.run(ctx, strings.NewReader(input.String()), func(output io.Reader) error {
			return readContents(bufio.NewReader(output), batch, visit)
		}, "cat-file", "--batch=%(objectsize)")
		if err != nil {
			return err
		}
	}
	return nil
}

func readContents(output *bufio.Reader, batch []Object, visit func(object Object, content []byte)) error {
	for _, object := range batch {
		line, err := output.ReadString('\n')
		if err != nil {
			return fmt.Errorf("read git cat-file: %w", err)
		}
		if size, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err != nil || size != object.Size {
			return fmt.Errorf("git cat-file answered %q", strings.TrimSpace(line))
		}
		content := make([]byte, object.Size+1) // a newline follows
		if _, err := io.ReadFull(output, content); err != nil {
			return fmt.Errorf("read git cat-file: %w", err)
		}
		visit(object, content[:object.Size])
	}
	return nil
}

// maxRenames bounds the comparisons for renames. Git compares files that were removed with files that were added,
// without those of the same bytes or the same name. It compares none if that exceeds the square of maxRenames.
const maxRenames = 300

// Renamed returns the new paths of files that were moved between two commits, by their old paths. At least
// half of a file's lines are the same. If maxRenames is exceeded, it returns only files with the same bytes or
// the same name. The map is nil only with an error.
func (f Folder) Renamed(ctx context.Context, from, to string) (map[string]string, error) {
	renamed := map[string]string{}
	arguments := slices.Concat(
		[]string{"diff-tree", "-r", "--find-renames=50%", fmt.Sprint("-l", maxRenames)}, f.listing("R"), []string{from, to})
	err := f.run(ctx, nil, func(output io.Reader) error {
		return parse(output, func(c change) { renamed[c.from] = c.path })
	}, arguments...)
	if err != nil {
		return nil, err
	}
	return renamed, nil
}
