package pgserver

import (
	"os"
	"runtime"
)

// Error says what a person must do before there is a database.
type Error struct {
	Err  error
	Hint string // a remedy in a sentence
}

func (e *Error) Error() string { return e.Err.Error() + "; " + e.Hint }

func (e *Error) Unwrap() error { return e.Err }

// alpine is this system's name in [thisSystem]. Programs for glibc do not run there.
const alpine = "alpine"

// thisSystem returns "alpine", or Go's name of this operating system.
func thisSystem() string {
	if _, err := os.Stat("/etc/alpine-release"); err == nil {
		return alpine
	}
	return runtime.GOOS
}

// notInstalled adds to err how a system gets PostgreSQL and pgvector. A package of compound-docs helps only
// if the program has none beside it.
func notInstalled(err error, system string, packages bool) *Error {
	hint := "install PostgreSQL 15 or newer with pgvector 0.8 or newer, or Docker with Compose, which is used by itself"
	switch {
	case system == "windows":
		hint = "run compound-docs inside WSL (wsl --install), or install Docker Desktop, which it uses by itself"
	case system == alpine:
		hint = "run as root: apk add postgresql postgresql-pgvector"
	case packages:
		hint = "install compound-docs from one of its packages, which contain PostgreSQL; or " + hint
	}
	return &Error{Err: err, Hint: hint + ", and try again; or set CDOCS_DATABASE_URL to a PostgreSQL of your own"}
}
