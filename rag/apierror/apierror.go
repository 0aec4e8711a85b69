// Package apierror holds the failures that a tool reports: a code that clients know, a message that says what to do
// next, and details for programs. It knows the errors of the database and of model servers, and nothing of searches,
// files or MCP.
package apierror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"syscall"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/model"
)

// Code names a kind of failure. Clients receive it with the message.
type Code string

// The error codes of the tool contract. Each has a row in test/tooldocs/page.md.tmpl.
const (
	ProjectNotActivated       Code = "PROJECT_NOT_ACTIVATED"
	ExternalDocsNotConfigured Code = "EXTERNAL_DOCS_NOT_CONFIGURED"
	ExternalDocsNotPromotable Code = "EXTERNAL_DOCS_NOT_PROMOTABLE"
	DocumentNotFound          Code = "DOCUMENT_NOT_FOUND"
	InvalidDocType            Code = "INVALID_DOC_TYPE"
	SchemaValidationFailed    Code = "SCHEMA_VALIDATION_FAILED"
	EmbeddingServiceError     Code = "EMBEDDING_SERVICE_ERROR"
	DatabaseError             Code = "DATABASE_ERROR"
	FileSystemError           Code = "FILE_SYSTEM_ERROR"
	InvalidArgument           Code = "INVALID_ARGUMENT"
	InternalError             Code = "INTERNAL_ERROR"
)

// IsUsage reports whether the code means that the caller made a mistake and nothing was done.
func (c Code) IsUsage() bool {
	switch c {
	case InvalidArgument, InvalidDocType, DocumentNotFound, ExternalDocsNotPromotable:
		return true
	default:
		return false
	}
}

// Error is a failure as a tool reports it. Its message holds nothing secret.
type Error struct {
	Code Code
	Err  error
	// Details are the machine-readable facts of the message; nil for none.
	Details map[string]any
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an [*Error]. [Wordf] makes its text from format and args.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Err: Wordf(format, args...)}
}

// Refuse returns an [*Error] about the value of a parameter. Its text begins with the name of the parameter. Then the
// problem follows, which is a format for args.
func Refuse(parameter, problem string, args ...any) *Error {
	e := &Error{Code: InvalidArgument, Err: Wordf("%s "+problem, append([]any{Parameter(parameter)}, args...)...)}
	return e.With("parameter", parameter)
}

// FileError returns an [*Error] for a file that cannot be read or written. For an error of the operating system, the
// text says what to do.
func FileError(err error) *Error {
	var remedy string
	switch {
	case errors.Is(err, fs.ErrPermission):
		remedy = "; give the user that runs the server the right to it, for example with chmod u+rw"
	case errors.Is(err, syscall.ENOSPC):
		remedy = "; make room on the disk and call again"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		remedy = "; raise the limit of open files (ulimit -n), or end a program that has many open, and call again"
	case errors.As(err, new(syscall.Errno)):
		remedy = "; correct the file and call again"
	}
	return &Error{Code: FileSystemError, Err: fmt.Errorf("%w%s", err, remedy)}
}

// With adds a detail to e and returns e.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// lateRetry is how long a caller should wait after a model server did not answer in time. A model that was loading is
// then ready.
const lateRetry = 30 * time.Second

// AsError returns err, which is not nil, as an [*Error]. Code and details come from an *Error in err, or from the kind
// of err. The text is that of err, with advice for a deleted tenant or a file, but replaced for an ended context.
func AsError(err error) *Error {
	e := classify(err)
	if e.Code == DatabaseError || e.Code == EmbeddingServiceError {
		e.Details = maps.Clone(e.Details) // another call may use the same map
		return e.With("innerMessage", e.Err.Error())
	}
	return e
}

// configError is an error in a file that a person wrote, such as config.json.
type configError interface {
	error
	// Location returns the path of the file, and the key of the wrong value, "" for none.
	Location() (path, key string)
	// Unreadable reports whether the file could not be read.
	Unreadable() bool
}

func classify(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return &Error{Code: known.Code, Err: err, Details: known.Details}
	}
	var (
		dbErr       *db.Error
		inConfig    configError
		unavailable *model.UnavailableError
		missing     *model.MissingError
	)
	e := &Error{Code: InternalError, Err: err}
	switch {
	case errors.Is(err, db.ErrTenantGone):
		e.Code, e.Err = ProjectNotActivated, Wordf("%w; %s to fill it again", err, Call{Tool: "activate_project"})
		return e.With("requiredTool", "activate_project")
	case errors.As(err, &inConfig):
		e.Code = InvalidArgument
		if inConfig.Unreadable() {
			e.Code = FileSystemError
		}
		path, key := inConfig.Location()
		return e.With("config_path", path).With("key", key)
	case errors.As(err, &unavailable):
		e.Code = EmbeddingServiceError
		return e.With("circuit_state", unavailable.CircuitState).
			With("retry_after_seconds", math.Ceil(unavailable.RetryAfter.Seconds()))
	case errors.As(err, &missing):
		e.Code = EmbeddingServiceError
		return e.With("model", missing.Model)
	case errors.Is(err, model.ErrLate): // the circuit breaker is closed: an open one gives an UnavailableError
		e.Code = EmbeddingServiceError
		return e.With("circuit_state", model.CircuitClosed).With("retry_after_seconds", lateRetry.Seconds())
	case errors.Is(err, model.ErrInputTooLong), errors.Is(err, model.ErrBadResponse), errors.Is(err, model.ErrEmptyAnswer),
		errors.Is(err, model.ErrModelReplaced), errors.Is(err, model.ErrUnusableText), errors.Is(err, model.ErrDimensions):
		e.Code = EmbeddingServiceError
	case errors.As(err, &dbErr):
		e.Code = DatabaseError
		if dbErr.SQLState != "" {
			return e.With("sqlstate", dbErr.SQLState)
		}
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)):
		return FileError(err)
	case errors.Is(err, context.Canceled):
		e.Err = errors.New("the call was cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		e.Code, e.Err = DatabaseError, errors.New("the call took too long and was given up; see whether another session "+
			"holds a lock (pg_stat_activity), or this machine is overloaded, and try again")
	}
	return e
}
