package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// command returns git with arguments, to be run at the top of the checkout. It switches off everything that a
// repository's configuration could make git run or wait for:
//
//   - fsmonitor, hooks, pager, textconv and external diffs are programs;
//   - log.showSignature runs gpg.program;
//   - a partial clone makes git fetch missing objects with any program. So no transport is allowed, and the history of
//     a partial clone counts as unreadable;
//   - mailmap.file, replaced objects and notes only cost time;
//   - log.showRoot, log.follow and diff.orderFile change the list of changes.
//
// Git still reads the configurations of the user and the system. No argument names the repository: git looks for it,
// and then checks who owns the folder.
//
// Filters (filter.clean, filter.process) cannot be switched off. Git runs them on files of the work tree. So this
// package asks only for commits and their objects. Text from outside cannot act as an option: its argument comes after
// --, or begins with text of this package.
func (f Folder) command(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	arguments = append([]string{
		"--no-pager", "--literal-pathspecs",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.pager=cat",
		"-c", "log.showSignature=false", "-c", "log.mailmap=false", "-c", "log.showRoot=true", "-c", "log.follow=false",
		"-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never",
	}, arguments...)
	command := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // git, with the arguments of this package
	command.Dir = f.top
	command.Env = append(environment(),
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "LC_ALL=C", "GIT_CEILING_DIRECTORIES="+filepath.Dir(f.top),
	)
	// A program that git started may keep the output open. Then Wait closes the output after this time.
	command.WaitDelay = time.Second
	return command
}

// environment returns only the variables that git needs to run and to find the user's configuration.
func environment() []string {
	var kept []string
	for _, name := range []string{
		"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "PROGRAMDATA",
	} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

// errNoGit means that git is not installed.
var errNoGit = fmt.Errorf("%w: git is not installed", ErrNone)

// UntrustedError means that git does not read the repository because it belongs to another user.
type UntrustedError struct{ Top string }

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("git does not read %s, because it belongs to another user: documents have no dates of git, and stale ones "+
		"are not found; if you trust it, run: git config --global --add safe.directory '%s'",
		e.Top, strings.ReplaceAll(e.Top, "'", `'\''`))
}

// errTooLong means that git's output exceeds maxOutput.
var errTooLong = errors.New("the history is too long")

// run runs git, and calls read with git's output. The error is [ErrNone] if git is not installed, or if a command with
// --quiet finds nothing.
func (f Folder) run(ctx context.Context, read func(output io.Reader) error, arguments ...string) error {
	return f.runWith(ctx, nil, func(output io.Reader) error {
		bounded := &io.LimitedReader{R: output, N: maxOutput}
		err := read(bounded)
		if bounded.N == 0 {
			return errTooLong
		}
		return err
	}, arguments...)
}

// runWith is like run, but does not bound the output, and gives git an input. The input may be nil.
func (f Folder) runWith(ctx context.Context, input io.Reader, read func(output io.Reader) error, arguments ...string) error {
	program, err := exec.LookPath("git")
	if err != nil {
		return errNoGit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("git %s took longer than %s", arguments[0], maxTime))
	defer cancel()
	command := f.command(ctx, program, arguments...)
	command.Stdin = input
	var problem strings.Builder
	command.Stderr = &problem
	output, err := command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	err = read(output)
	if err != nil {
		cancel()
	}
	exit := command.Wait()
	var status *exec.ExitError
	switch {
	case context.Cause(ctx) != nil && err == nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("git %s: %w", arguments[0], err)
	case errors.As(exit, &status) && status.ExitCode() == 1 && problem.Len() == 0: // --quiet found nothing
		return ErrNone
	case exit != nil && strings.Contains(problem.String(), "dubious ownership"):
		return &UntrustedError{Top: f.top}
	case exit != nil:
		return fmt.Errorf("git %s: %w: %.1000s", arguments[0], exit, strings.TrimSpace(problem.String()))
	}
	return nil
}
