package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/doctor"
	"github.com/compound-docs/compound-docs/internal/plain"
)

// fixed is a command that doctor --fix has run.
type fixed struct {
	Command []string `json:"command"`
	Error   string   `json:"error,omitempty"`
}

// mend runs the commands that the findings name, each once and if the user agrees. After
// each remedy it looks again, since one may mend several findings, and show others.
func (d *doctorFlags) mend(ctx context.Context) (done []fixed, err error) {
	seen := map[string]bool{}
	for ctx.Err() == nil {
		findings, err := d.look(ctx, false)
		if err != nil {
			return done, err
		}
		commands := d.next(findings, seen)
		if commands == nil {
			return done, nil
		}
		for _, words := range commands {
			result := fixed{Command: words}
			if err := d.runFix(ctx, words); err != nil {
				result.Error = err.Error()
				plain.Printf(d.stderr, "%s: %v\n", claude.QuoteLine(words), err)
			}
			done = append(done, result)
		}
	}
	return done, context.Cause(ctx)
}

// next returns the commands of the first finding whose remedy is agreed to, and nil if there is
// none. seen are the remedies that were offered before.
func (d *doctorFlags) next(findings []doctor.Finding, seen map[string]bool) [][]string {
	for _, finding := range findings {
		var lines []string
		for _, words := range finding.Run {
			lines = append(lines, claude.QuoteLine(words))
		}
		line := strings.Join(lines, "; ")
		if line == "" || seen[line] {
			continue
		}
		seen[line] = true
		plain.Printf(d.stderr, "%s: %s\n", finding.Check, finding.What)
		if d.may(fmt.Sprintf("Run: %s?", line)) {
			plain.Printf(d.stderr, "running: %s\n", line)
			return finding.Run
		}
		plain.Printf(d.stderr, "not run: %s\n", line)
	}
	return nil
}

// runFix runs a command in the repository, and this program for its own name, with the flags and
// the terminal that this process has. All that it prints goes to stderr.
func (d *doctorFlags) runFix(ctx context.Context, words []string) error {
	name, arguments := words[0], words[1:]
	if name == claude.ServerName {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		name = program
		if d.yes && arguments[0] == "init" {
			arguments = append(arguments, "--yes")
		}
	}
	command := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // one that doctor names
	command.Dir = d.root
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, d.stderr, d.stderr
	command.Env = os.Environ()
	for name, value := range map[string]string{"CDOCS_DATABASE_URL": d.flags.databaseURL, "CDOCS_OLLAMA_HOST": d.flags.ollamaHost} {
		if value != "" {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	return command.Run() //nolint:wrapcheck // mend names the command
}
