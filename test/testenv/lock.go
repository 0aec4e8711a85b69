package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// fileLock is a lock between processes. The system releases it when its holder
// ends, however that comes about.
type fileLock struct{ file *os.File }

// lockFile takes the lock on a file, which is created if need be. It waits for
// another process to release it until ctx is done.
func lockFile(ctx context.Context, path string) (*fileLock, error) {
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for {
		lock, err := tryLockFile(path)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return lock, err
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s, which another process holds: %w", path, ctx.Err())
		}
	}
}

// tryLockFile is lockFile without waiting: the error wraps EWOULDBLOCK when
// another process holds the lock.
func tryLockFile(path string) (*fileLock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	return &fileLock{file: file}, nil
}

func (l *fileLock) unlock() error { return l.file.Close() }
