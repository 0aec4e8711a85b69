package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/compound-docs/compound-docs/internal/contain"
)

const (
	// sessionsFolder is the name of the store's folder, below the folder of the user's files.
	sessionsFolder = "recalls"
	// maxAge is how long the store keeps a session after its last hook.
	maxAge = 30 * 24 * time.Hour
	// lockWait bounds the wait for the lock. Another process holds the lock only for the milliseconds of one write.
	lockWait = time.Second
	// maxQuestions bounds the stored questions of a project. A further question replaces the oldest one.
	maxQuestions = 500
)

// Store keeps sessions, and questions that found no document, in the folder of the user's files. Each session has a
// file, and each project has a file of questions. Other processes may use the folder too. Safe for concurrent use.
type Store struct {
	dir string
	mu  sync.Mutex // lets only one goroutine of this process poll the file lock
}

// NewStore returns a store in home, the folder of the user's files. The first write makes the folder.
func NewStore(home string) *Store { return &Store{dir: filepath.Join(home, sessionsFolder)} }

// Update reads a session, lets change edit it, and writes it. Without a readable file, change gets an empty session.
func (s *Store) Update(ctx context.Context, id string, change func(*Session)) error {
	return rewrite(ctx, s, s.file(id, sessionExtension), change)
}

// Shown returns what hooks have shown of the project at root, in all sessions and in no order.
func (s *Store) Shown(root string) ([]Shown, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what was recalled: %w", err)
	}
	var all []Shown
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == sessionExtension {
			session, _ := readFile[Session](filepath.Join(s.dir, entry.Name()))
			all = append(all, slices.DeleteFunc(session.Shown, func(one Shown) bool { return one.Project != root })...)
		}
	}
	return all, nil
}

// Questions returns the questions that found no document in the project at root, with the last time of each.
func (s *Store) Questions(root string) map[string]time.Time {
	questions, _ := readFile[map[string]time.Time](s.file(root, questionsExtension))
	return questions
}

// AddQuestion stores a question that found no document in the project at root.
func (s *Store) AddQuestion(ctx context.Context, root, question string, asked time.Time) error {
	return rewrite(ctx, s, s.file(root, questionsExtension), func(kept *map[string]time.Time) {
		if *kept == nil {
			*kept = map[string]time.Time{}
		}
		(*kept)[question] = asked
		if len(*kept) > maxQuestions {
			byAge := func(a, b string) int { return (*kept)[a].Compare((*kept)[b]) }
			delete(*kept, slices.MinFunc(slices.Collect(maps.Keys(*kept)), byAge))
		}
	})
}

// ForgetQuestion removes a question of the project at root.
func (s *Store) ForgetQuestion(ctx context.Context, root, question string) error {
	if _, isKept := s.Questions(root)[question]; !isKept {
		return nil
	}
	return rewrite(ctx, s, s.file(root, questionsExtension), func(kept *map[string]time.Time) { delete(*kept, question) })
}

// Extensions of the files. The store removes sessions after maxAge, but never the other files.
const (
	sessionExtension   = ".json"
	questionsExtension = ".questions"
)

// file returns the path of the file for a session or a project. The name is a hash, because id may have any character.
func (s *Store) file(id, extension string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:16])+extension)
}

// rewrite reads the value in a file, lets change edit it, and writes it, under a lock against other processes.
func rewrite[T any](ctx context.Context, s *Store, file string, change func(*T)) (err error) {
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
	kept, known := readFile[T](file)
	if !known {
		s.removeOld(time.Now().Add(-maxAge))
	}
	change(&kept)
	content, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("remember what was shown: %w", err)
	}
	_ = os.Remove(file + ".new") // a killed hook may have left the file, and a write to a named pipe would hang
	if err := os.WriteFile(file+".new", content, 0o600); err != nil {
		return fmt.Errorf("remember what was shown: %w", err)
	}
	return os.Rename(file+".new", file)
}

// removeOld removes the files of sessions whose last hook came before the time oldest.
func (s *Store) removeOld(oldest time.Time) {
	entries, _ := os.ReadDir(s.dir) // the next session tries again
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && filepath.Ext(entry.Name()) == sessionExtension && info.ModTime().Before(oldest) {
			_ = os.Remove(filepath.Join(s.dir, entry.Name())) // the next session tries again
		}
	}
}

// maxKeptBytes bounds a file, because a hook has little time to read it. A larger file counts as missing.
const maxKeptBytes = 4 << 20

// readFile returns the value in a file, or false if the file is missing, too large or cannot be understood.
func readFile[T any](file string) (T, bool) {
	var kept, none T
	content, err := contain.ReadFile(file, maxKeptBytes)
	if err != nil || json.Unmarshal(content, &kept) != nil {
		return none, false
	}
	return kept, true
}
