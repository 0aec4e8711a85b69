package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/compound-docs/compound-docs/internal/contain"
	"github.com/compound-docs/compound-docs/internal/project/jsonschema"
)

// The smallest valid config.json, settings.json and schema. Error messages show them as examples.
const (
	minimalConfig   = `{"project_name": "my-project"}`
	minimalSettings = `{"log_level": "warn"}`
	minimalSchema   = `{"type": "object"}`
)

// ConfigError says what is wrong with a hand-written file (config.json, settings.json, a doc-type's schema) or
// with a given path, and what to do about it.
type ConfigError struct {
	Path    string // the file, or the given path
	Key     string // such as custom_doc_types[0].folder; "" for the file as a whole
	Problem string // completes the sentence that Key or Path begins: `is 0`, `does not exist`
	Hint    string // one or more sentences on what to do, with a correct example
	Err     error  // the cause, such as [fs.ErrNotExist], or nil
}

// Error returns path, key, problem and hint in one line.
func (e *ConfigError) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Key != "" {
		fmt.Fprintf(&b, ": %q", e.Key)
	} else if strings.HasPrefix(e.Problem, "line ") {
		b.WriteString(":")
	}
	fmt.Fprintf(&b, " %s. %s", e.Problem, e.Hint)
	return b.String()
}

// Unwrap returns the cause, or nil.
func (e *ConfigError) Unwrap() error { return e.Err }

// Location returns Path and Key.
func (e *ConfigError) Location() (path, key string) { return e.Path, e.Key }

// Unreadable reports whether the file exists but cannot be read.
func (e *ConfigError) Unreadable() bool {
	if errors.Is(e.Err, fs.ErrNotExist) || errors.Is(e.Err, contain.ErrEscapes) || errors.Is(e.Err, contain.ErrHidden) {
		return false
	}
	return errors.As(e.Err, new(*fs.PathError)) || errors.Is(e.Err, contain.ErrNotRegular) ||
		errors.As(e.Err, new(*contain.TooLargeError))
}

// fileError turns an error of the file system into a ConfigError. hint says what to do about a missing file.
func fileError(path, hint string, err error) *ConfigError {
	e := &ConfigError{Path: path, Problem: "does not exist", Hint: hint, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if target, _ := os.Readlink(path); target != "" {
			e.Problem, e.Hint = "is a link to a file that does not exist", "Correct the link, or remove it."
		}
	case errors.Is(err, syscall.ENOTDIR):
		e.Problem, e.Hint = "cannot be read: "+filepath.Dir(path)+" is not a folder", "Move that file away."
	case errors.Is(err, contain.ErrEscapes):
		e.Problem, e.Hint = "leads out of the repository", "Keep it in the repository itself."
	case errors.Is(err, contain.ErrHidden):
		e.Problem, e.Hint = "leads to a hidden file or folder", "Keep it where it can be seen."
	case errors.Is(err, fs.ErrPermission):
		e.Problem, e.Hint = "may not be read", "Give this user permission to read it, for example with chmod u+r."
	case errors.Is(err, contain.ErrNotRegular):
		e.Problem, e.Hint = "is not a regular file", "Put a file there in its place."
	case errors.As(err, new(*contain.TooLargeError)):
		e.Problem, e.Hint = "is larger than 1 MiB", "Shorten it; such a file has a few kilobytes."
	default:
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		e.Problem, e.Hint = "can't be read: "+err.Error(), "Check the file and try again."
	}
	return e
}

// keyError returns an error for the first unknown key. If all keys are known, it returns an error for the first fault,
// or nil without faults. A misspelt key causes two faults: an unknown key and a missing key. The unknown key says more.
func keyError(path string, faults []jsonschema.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	worst := faults[max(0, slices.IndexFunc(faults, func(f jsonschema.Fault) bool { return f.Unknown }))]
	if worst.Field == "project_name" && !worst.Unknown {
		worst.Expected = `lower-case letters, digits and hyphens, beginning with a letter, for example "my-project"`
	}
	return &ConfigError{Path: path, Key: worst.Field, Problem: worst.Problem, Hint: "Write " + worst.Expected + "."}
}
