package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Reason is what a commit says of its change.
type Reason struct {
	Commit  string `json:"commit"` // short
	Date    string `json:"date"`   // by the author's clock, such as 2026-01-02
	Subject string `json:"subject"`
	// Text is the first sentence of the message's body.
	Text string `json:"text"`
}

// Bounds of a search for reasons.
const (
	maxReasons      = 5
	maxReasonTime   = 300 * time.Millisecond
	maxReasonRead   = 200 // commits
	leastExplaining = 80  // characters of a body
)

var (
	trailer  = regexp.MustCompile(`(?m)^[A-Z][\w-]+: .*$`)
	sentence = regexp.MustCompile(`^.+?[^\s.][.!?](?:\s|$)`)
)

// Reasons returns the last commits that changed a file, or lines of it if last is not 0, and whose messages explain
// something, newest first. It returns what it finds within its time.
func (f Folder) Reasons(ctx context.Context, name string, first, last int) ([]Reason, error) {
	ctx, cancel := context.WithTimeout(ctx, maxReasonTime)
	defer cancel()
	target := path.Join(f.name, name)
	arguments := []string{
		"log", "-z", "--no-merges", fmt.Sprint("--max-count=", maxReasonRead), "--format=%h %ad %B", "--date=short",
		"--no-notes", "--no-mailmap", "--no-ext-diff", "--no-textconv", "--no-color",
	}
	if last > 0 {
		arguments = append(arguments, "-s", fmt.Sprintf("-L%d,%d:%s", first, last, target), "HEAD")
	} else {
		arguments = append(arguments, "HEAD", "--", target)
	}
	reasons := []Reason{}
	err := f.run(ctx, func(output io.Reader) error {
		for message := range fieldsOf(output) {
			if reason, ok := parseReason(message); ok {
				reasons = append(reasons, reason)
			}
			if len(reasons) == maxReasons {
				return io.EOF
			}
		}
		return nil
	}, arguments...)
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		err = nil
	}
	return reasons, err
}

// parseReason reads a commit's hash, date and message, and false if the message explains nothing.
func parseReason(text string) (Reason, bool) {
	fields := strings.SplitN(strings.TrimSpace(text), " ", 3)
	if len(fields) < 3 {
		return Reason{}, false
	}
	subject, body, _ := strings.Cut(fields[2], "\n\n")
	body = strings.Join(strings.Fields(trailer.ReplaceAllString(body, "")), " ")
	if len([]rune(body)) < leastExplaining {
		return Reason{}, false
	}
	if found := sentence.FindString(body); found != "" {
		body = strings.TrimSpace(found)
	}
	return Reason{fields[0], fields[1], subject, body}, true
}

// Named returns the tracked files with a name, those of the folder's top first, by their paths in the folder.
func (f Folder) Named(ctx context.Context, base string) ([]string, error) {
	files, err := f.Tracked(ctx)
	same := slices.DeleteFunc(files, func(name string) bool { return path.Base(name) != base })
	slices.SortStableFunc(same, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return same, err
}

// Tracked returns the tracked files, by their paths in the folder.
func (f Folder) Tracked(ctx context.Context) ([]string, error) {
	var files []string
	err := f.run(ctx, func(output io.Reader) error {
		for name := range fieldsOf(output) {
			files = append(files, strings.TrimPrefix(name, strings.TrimSuffix(f.name, ".")+"/"))
		}
		return nil
	}, "ls-files", "-z", "--", f.name)
	return files, err
}
