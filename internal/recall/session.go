// Package recall decides what the hooks of an assistant say. It reads events, chooses at most one
// pointer, and remembers the pointers of each session. It knows no MCP, and does not search.
package recall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// sessionsFolder is the folder of the sessions' files below the user's own folder.
const sessionsFolder = "recalls"

const (
	// maxAge is how long a session is kept after its last hook.
	maxAge = 30 * 24 * time.Hour
	// maxFile bounds a session's file, in bytes: some thousand documents.
	maxFile = 1 << 20
	// lockWait bounds the wait for another process, which writes in milliseconds.
	lockWait = time.Second
)

// Shown is a document that a hook has pointed to.
type Shown struct {
	// Project is the root of the repository, and Path the document's path in the index.
	Project string    `json:"project"`
	Path    string    `json:"path"`
	Event   string    `json:"event"`
	Why     string    `json:"why"`
	Score   float64   `json:"score"`
	At      time.Time `json:"at"`
	// Opened says that the assistant has read the file afterwards.
	Opened bool `json:"opened"`
	// Command had failed, and Succeeded says that it ran without an error later.
	Command   string `json:"command,omitempty"`
	Succeeded bool   `json:"succeeded,omitempty"`
	// Call is the number of the call before or at which it was shown, and Size the length of the text.
	Call int `json:"call,omitempty"`
	Size int `json:"size,omitempty"`
}

// Session is what the hooks of one session have seen and shown.
type Session struct {
	// Shown has the documents in the order in which they were shown.
	Shown []Shown `json:"shown"`
	// Forgotten is how many of Shown were there before the conversation was last
	// compacted: the assistant knows nothing of these any more.
	Forgotten int `json:"forgotten"`
	// Wrote says that the session has written a document since the last compaction.
	Wrote bool `json:"wrote"`
	// RemindDue says that the next prompt brings a [Reminder].
	RemindDue bool `json:"remind_due"`
	// Calls counts the calls of a tool in the session.
	Calls int `json:"calls,omitempty"`
	// Tasks are for subagents that have not begun yet, in order.
	Tasks []Task `json:"tasks,omitempty"`
	// Failed are the last commands that failed. Asked says that the assistant was asked to write
	// down why, which happens once.
	Failed []string `json:"failed,omitempty"`
	Asked  bool     `json:"asked,omitempty"`
}

// Task is what a subagent is told when it begins, "" for nothing.
type Task struct {
	Agent string `json:"agent,omitempty"`
	Text  string `json:"text,omitempty"`
}

const (
	// A session is shown at most maxPointers documents, and maxShownSize characters of them, in any
	// windowCalls calls of a tool. With [Solved] and [Reminder] that is less than 500 tokens.
	maxPointers  = 6
	maxShownSize = 1400
	windowCalls  = 200
	// maxKept bounds the tasks and the failed commands of a session, and maxCommand the length of one.
	maxKept    = 20
	maxCommand = 300
)

// HasRoom reports whether a text of a size may still be shown.
func (s *Session) HasRoom(size int) bool {
	count := 1
	for _, shown := range s.Shown {
		if shown.Call > 0 && shown.Call > s.Calls-windowCalls {
			count, size = count+1, size+shown.Size
		}
	}
	return count <= maxPointers && size <= maxShownSize
}

// Fail notes that a command has failed.
func (s *Session) Fail(command string) {
	command = cutCommand(command)
	s.Failed = append(slices.DeleteFunc(s.Failed, func(c string) bool { return c == command }), command)
	s.Failed = s.Failed[max(0, len(s.Failed)-maxKept):]
}

// Succeed notes that a command ran without an error, and reports whether it had failed before.
func (s *Session) Succeed(command string) (failedBefore bool) {
	command = cutCommand(command)
	for i := range s.Shown {
		if s.Shown[i].Command == command {
			s.Shown[i].Succeeded = true
		}
	}
	before := len(s.Failed)
	s.Failed = slices.DeleteFunc(s.Failed, func(c string) bool { return c == command })
	return len(s.Failed) < before
}

func cutCommand(command string) string {
	command = strings.TrimSpace(command)
	return strings.ToValidUTF8(command[:min(len(command), maxCommand)], "") // without half a character
}

// Delegate keeps what the next subagent of a kind is told.
func (s *Session) Delegate(task Task) {
	s.Tasks = append(s.Tasks, task)
	s.Tasks = s.Tasks[max(0, len(s.Tasks)-maxKept):]
}

// Begin returns what a subagent is told that begins now. Subagents begin in the order of their tasks.
func (s *Session) Begin(agent string) string {
	i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Agent == "" || agent == "" || t.Agent == agent })
	if i < 0 {
		return ""
	}
	text := s.Tasks[i].Text
	s.Tasks = slices.Delete(s.Tasks, i, i+1)
	return text
}

// Knows reports whether the assistant was pointed to the document and still knows it.
func (s *Session) Knows(project, path string) bool {
	for _, shown := range s.Shown[min(s.Forgotten, len(s.Shown)):] {
		if shown.Project == project && shown.Path == path {
			return true
		}
	}
	return false
}

// Open notes that the assistant has read a document.
func (s *Session) Open(project, path string) {
	for i := range s.Shown {
		if s.Shown[i].Project == project && s.Shown[i].Path == path {
			s.Shown[i].Opened = true
		}
	}
}

// Compact forgets the pointers, because the assistant summarises the conversation. A reminder is
// due unless the session wrote.
func (s *Session) Compact() {
	s.Forgotten = len(s.Shown)
	s.RemindDue, s.Wrote = !s.Wrote, false
}

// Store keeps sessions, and questions that found nothing, in files below the user's own folder, one
// for each session and each project. Other processes may use the same folder. Safe for concurrent use.
type Store struct {
	dir string
	mu  sync.Mutex
}

// NewStore returns a store below the user's folder home. It makes no folder yet.
func NewStore(home string) *Store { return &Store{dir: filepath.Join(home, sessionsFolder)} }

// Update changes a session and writes it. A session that is not known, or whose file
// cannot be understood, begins empty. Nothing is written if change returns an error.
func (s *Store) Update(ctx context.Context, id string, change func(*Session) error) error {
	return rewrite(ctx, s, fileName(id), change)
}

func rewrite[T any](ctx context.Context, s *Store, name string, change func(*T) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("remember what was shown: %w", err)
	}
	lock := flock.New(filepath.Join(s.dir, ".lock"))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("remember what was shown: wait for the process that holds %s, see fuser -v: %w", lock.Path(), err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	file := filepath.Join(s.dir, name)
	kept, known := readFile[T](file)
	if !known {
		s.removeOld(time.Now().Add(-maxAge))
	}
	if err := change(&kept); err != nil {
		return err
	}
	content, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("remember what was shown: %w", err)
	}
	if len(content) > maxFile {
		return fmt.Errorf("remember what was shown: it has been shown more than %d bytes of documents", maxFile)
	}
	if err := os.WriteFile(file+".new", content, 0o600); err != nil {
		return fmt.Errorf("remember what was shown: %w", err)
	}
	return os.Rename(file+".new", file)
}

// Shown returns what hooks have shown of the project at root, in no order.
func (s *Store) Shown(root string) ([]Shown, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what was recalled: %w", err)
	}
	var all []Shown
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == extension {
			session, _ := readFile[Session](filepath.Join(s.dir, entry.Name()))
			all = append(all, slices.DeleteFunc(session.Shown, func(one Shown) bool { return one.Project != root })...)
		}
	}
	return all, nil
}

// removeOld removes the files of sessions that have had no hook since.
func (s *Store) removeOld(since time.Time) {
	entries, _ := os.ReadDir(s.dir) // the next session tries again
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && strings.HasSuffix(entry.Name(), extension) && info.ModTime().Before(since) {
			_ = os.Remove(filepath.Join(s.dir, entry.Name())) // the next session tries again
		}
	}
}

const extension = ".json"

// fileName is made of a hash, because an identifier may hold any character.
func fileName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16]) + extension
}

func readFile[T any](file string) (kept T, known bool) {
	var none T
	content, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(content, &kept) != nil {
		return none, false
	}
	return kept, true
}
