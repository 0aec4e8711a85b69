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

	"github.com/compound-docs/compound-docs/internal/contain"
)

// Version names a file of the folder in a commit.
type Version struct{ Commit, Path string }

// Content is what a commit has at the path of a [Version].
type Content struct {
	Exists bool // the commit has a file at the path
	Folder bool // the commit has a folder at the path
	Text   []byte
	// TooLarge means that the file has more than [contain.MaxDocument] bytes, so that Text is empty.
	TooLarge bool
}

// maxBatch bounds the versions that one run of git returns, because the time of a run is limited.
const maxBatch = 500

// Contents calls visit with the content of each version, in the order of versions. i is the version's index.
func (f Folder) Contents(ctx context.Context, versions []Version, visit func(i int, content Content)) error {
	visited := 0
	for batch := range slices.Chunk(versions, maxBatch) {
		var input strings.Builder
		for _, v := range batch {
			// The input has one name per line. A name with a line break is replaced by a name that git does not find.
			fmt.Fprintf(&input, "%s:%s\n", v.Commit, strings.ReplaceAll(path.Join(f.name, v.Path), "\n", mark))
		}
		err := f.runWith(ctx, strings.NewReader(input.String()), func(output io.Reader) error {
			objects := bufio.NewReader(output)
			for range batch {
				content, err := readContent(objects)
				if err != nil {
					return fmt.Errorf("read git cat-file: %w", err)
				}
				visit(visited, content)
				visited++
			}
			return nil
		}, "cat-file", "--batch=%(objecttype) %(objectsize)")
		if err != nil {
			return err
		}
	}
	return nil
}

// readContent reads git's answer for one object: a line with the type and the size, the object's bytes, and a newline.
// For an object that does not exist, the answer is one line that ends with "missing".
func readContent(objects *bufio.Reader) (Content, error) {
	line, err := objects.ReadString('\n')
	if err != nil {
		return Content{}, err //nolint:wrapcheck // Contents says what failed
	}
	kind, number, _ := strings.Cut(strings.TrimSpace(line), " ")
	size, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Content{}, nil //nolint:nilerr // the object is missing
	}
	if kind != "blob" || size > contain.MaxDocument {
		_, err := io.CopyN(io.Discard, objects, size+1)
		return Content{Exists: kind == "blob", Folder: kind == "tree", TooLarge: kind == "blob"}, err
	}
	text := make([]byte, size+1)
	_, err = io.ReadFull(objects, text)
	return Content{Exists: true, Text: text[:size]}, err
}
