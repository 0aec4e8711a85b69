package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxCorrections is after how many failures the authors of sde-bench give a task up.
const maxCorrections = 5

// maxFeedback bounds what an agent gets of the output of tests, in bytes.
const maxFeedback = 8_000

// task is a bug of sde-bench.
type task struct {
	ID         string   `json:"task_id"`
	Report     string   `json:"bug_report"`
	FailToPass []string `json:"fail_to_pass"`
	PassToPass []string `json:"pass_to_pass"`
	Hidden     []string `json:"hidden_to_pass"`

	dir string // of task.json
}

func readTask(file string) (task, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return task{}, err
	}
	t := task{dir: filepath.Dir(file)}
	if err := json.Unmarshal(content, &t); err != nil {
		return task{}, fmt.Errorf("read %s: %w", file, err)
	}
	if t.ID == "" || t.Report == "" || len(t.FailToPass) != 1 || len(t.Hidden) != 1 {
		return task{}, fmt.Errorf("%s lacks task_id, bug_report, fail_to_pass or hidden_to_pass", file)
	}
	return t, nil
}

// solve runs the agent until its fix is right or is given up.
func (t task) solve(ctx context.Context, o options, a arm) (r result, err error) {
	work, err := os.MkdirTemp("", "sdebench-")
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	repo := filepath.Join(work, "repo")
	if err := t.prepare(ctx, o, a, repo); err != nil {
		return result{}, err
	}
	first, next := o.agent, o.resume
	if a.hooks && o.guided != "" {
		first = o.guided
	}
	if next == "" {
		next = first
	}
	r = result{Task: t.ID, Arm: a.name}
	command, prompt, began := first, t.Report, time.Now()
	for {
		if err := ask(ctx, o, repo, fields(command, prompt)); err != nil {
			return result{}, err
		}
		failure, err := t.grade(ctx, o, repo)
		if err != nil {
			return result{}, err
		}
		r.Solved, r.Seconds = failure == "", int(time.Since(began).Seconds())
		if r.Solved || r.Corrections == maxCorrections {
			return r, nil
		}
		r.Corrections++
		command = next
		prompt = "The fix is not right yet. These tests fail:\n\n" + failure + "\n\nGo on with the fix. The report was:\n\n" + t.Report
	}
}

// ask calls the agent. Whether it says that it has failed does not count: its files do.
func ask(ctx context.Context, o options, repo string, command []string) error {
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	c := exec.CommandContext(limited, command[0], command[1:]...) //nolint:gosec // the user's own command
	c.Dir, c.Stderr = repo, os.Stderr
	c.WaitDelay = time.Minute
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) && limited.Err() == nil {
		return fmt.Errorf("start the agent: %w", err)
	}
	return context.Cause(ctx)
}

// prepare makes the repository that an agent gets.
func (t task) prepare(ctx context.Context, o options, a arm, repo string) error {
	if err := t.build(ctx, repo); err != nil {
		return err
	}
	if err := t.addTest(repo, "regression_test.py", t.FailToPass[0]); err != nil {
		return err
	}
	if a.documents {
		if err := os.CopyFS(filepath.Join(repo, "docs", "notes"), os.DirFS(o.documents)); err != nil {
			return err
		}
	}
	if !a.hooks {
		return nil
	}
	_, err := execute(ctx, repo, fields(o.init)...)
	return err
}

// build has sde-bench make the repository with the bug.
func (t task) build(ctx context.Context, repo string) error {
	script, err := filepath.Abs(filepath.Join(t.dir, "..", "..", "build.py"))
	if err != nil {
		return err
	}
	_, err = execute(ctx, filepath.Dir(repo), "python3", script, repo)
	return err
}

func (t task) addTest(repo, file, as string) error {
	content, err := os.ReadFile(filepath.Join(t.dir, file))
	if err != nil {
		return err
	}
	as = filepath.Join(repo, filepath.FromSlash(as))
	if err := os.MkdirAll(filepath.Dir(as), 0o750); err != nil {
		return err
	}
	return os.WriteFile(as, content, 0o600) //nolint:gosec // a path of sde-bench
}

// grade returns what the tests say of the agent's repository, "" if all pass. They run in another folder, in a new
// repository with the agent's changes, except those of tests and documents. The hidden test is only there.
func (t task) grade(ctx context.Context, o options, repo string) (failure string, err error) {
	work, err := os.MkdirTemp("", "sdebench-grade-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	pristine := filepath.Join(work, "repo")
	if err := t.build(ctx, pristine); err != nil {
		return "", err
	}
	base, err := execute(ctx, pristine, "git", "rev-parse", "HEAD^{tree}")
	if err != nil {
		return "", err
	}
	if _, err := execute(ctx, repo, "git", "add", "--all"); err != nil {
		return "", err
	}
	patch, err := execute(ctx, repo, "git", "diff", "--cached", "--binary", strings.TrimSpace(base), "--", ".", ":!tests", ":!docs")
	if err != nil {
		return "", err
	}
	if err := apply(ctx, pristine, patch); err != nil {
		return "", err
	}
	err = errors.Join(t.addTest(pristine, "regression_test.py", t.FailToPass[0]), t.addTest(pristine, "hidden_test.py", t.Hidden[0]))
	if err != nil {
		return "", err
	}
	for _, file := range slices.Concat(t.PassToPass, t.FailToPass, t.Hidden) {
		output, err := execute(ctx, pristine, fields(o.grader, file)...)
		if _, failed := errors.AsType[*exec.ExitError](err); failed {
			return output[max(0, len(output)-maxFeedback):], nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", nil
}

func apply(ctx context.Context, repo, patch string) error {
	if patch == "" {
		return nil
	}
	c := exec.CommandContext(ctx, "git", "apply", "--whitespace=nowarn", "-")
	c.Dir, c.Stdin = repo, strings.NewReader(patch)
	if output, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("apply the agent's changes: %w\n%s", err, output)
	}
	return nil
}

// execute returns what a command prints.
func execute(ctx context.Context, dir string, command ...string) (string, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the user's own command
	c.Dir, c.Env = dir, append(os.Environ(), "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
	var output, errs bytes.Buffer
	c.Stdout, c.Stderr = &output, &errs
	if err := c.Run(); err != nil {
		return output.String() + errs.String(), fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, errs.String())
	}
	return output.String(), nil
}
