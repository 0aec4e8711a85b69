package gitlog

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// Version is a file of the folder as a commit has it.
type Version struct{ Commit, Path string }

// Object is the content of a version. ID is git's name of the bytes, "" where the commit
// has no such file or folder. Size is in bytes.
type Object struct {
	ID     string
	Folder bool
	Size   int64
}

// Objects returns the objects of versions, in their order.
func (f Folder) Objects(ctx context.Context, versions []Version) ([]Object, error) {
	var input strings.Builder
	for _, v := range versions {
		// A name of several lines cannot be asked for: git then finds no such file.
		name := strings.ReplaceAll(path.Join(f.name, v.Path), "\n", mark)
		fmt.Fprintf(&input, "%s:%s\n", v.Commit, name)
	}
	objects := make([]Object, 0, len(versions))
	err := f.runWith(ctx, strings.NewReader(input.String()), func(output io.Reader) error {
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			objects = append(objects, parseObject(lines.Text()))
		}
		return lines.Err()
	}, "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
	if err == nil && len(objects) != len(versions) {
		err = fmt.Errorf("git cat-file answered %d of %d names", len(objects), len(versions))
	}
	return objects, err
}

func parseObject(line string) Object {
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[1] != "blob" && fields[1] != "tree" {
		return Object{}
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return Object{}
	}
	return Object{ID: fields[0], Folder: fields[1] == "tree", Size: size}
}

// maxContents bounds the bytes that one run of git returns, and those of one object.
const (
	maxContents = maxOutput / 2
	maxContent  = 4 << 20
)

// Contents calls visit with the content of each object, none of which is a folder. Objects of more than four
// mebibytes are left out. visit may keep no content.
func (f Folder) Contents(ctx context.Context, objects []Object, visit func(object Object, content []byte)) error {
	for len(objects) > 0 {
		var input strings.Builder
		var batch []Object
		size := int64(0)
		for len(objects) > 0 && size+objects[0].Size <= maxContents {
			if next := objects[0]; next.Size <= maxContent {
				batch, size = append(batch, next), size+next.Size
				input.WriteString(next.ID + "\n")
			}
			objects = objects[1:]
		}
		err := f.runWith(ctx, strings.NewReader(input.String()), func(output io.Reader) error {
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

// Renamed returns the files of the folder that were moved from one commit to another, by
// their old paths: at least half of a file's lines are the same.
func (f Folder) Renamed(ctx context.Context, from, to string) (map[string]string, error) {
	renamed := map[string]string{}
	err := f.diff(ctx, "R", func(_, before, now string) { renamed[before] = now }, from, to)
	return renamed, err
}

// Staged returns the files of the folder that the next commit changes, by their paths, and
// whether it adds them. Files that it removes are not among them.
func (f Folder) Staged(ctx context.Context) (map[string]bool, error) {
	staged := map[string]bool{}
	err := f.diff(ctx, "AMR", func(kind, _, now string) { staged[now] = kind == "A" }, "--cached")
	return staged, err
}

// diff calls visit for the differences of the kinds given, as in git's --diff-filter. before
// is the path before, the same unless the file was moved.
func (f Folder) diff(ctx context.Context, kinds string, visit func(kind, before, now string), what ...string) error {
	relative := "--relative"
	if f.name != "." {
		relative += "=" + f.name + "/"
	}
	return f.run(ctx, func(output io.Reader) error {
		fields := bufio.NewScanner(output)
		fields.Split(splitNUL)
		for fields.Scan() {
			kind := fields.Text()
			if !fields.Scan() {
				break
			}
			before, now := fields.Text(), fields.Text()
			if strings.HasPrefix(kind, "R") && fields.Scan() {
				now = fields.Text()
			}
			visit(kind, before, now)
		}
		return fields.Err()
	}, append([]string{
		"diff", "-z", "--name-status", "--diff-filter=" + kinds, "--find-renames=50%", "--no-ext-diff", "--no-textconv",
		"--no-color", "--ignore-submodules=all", "-O/dev/null", relative,
	}, what...)...)
}
