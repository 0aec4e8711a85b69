package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/doctor"
	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
)

// Exit codes of compound-docs doctor.
const (
	exitErrors   = 1
	exitWarnings = 2
)

func newDoctorCommand(flags *flags) *cobra.Command {
	d := &doctorFlags{}
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is wrong with the set-up, and how to mend it",
		Long: `Say what is wrong with the set-up, and how to mend it: the user's folder, the disk, the
database, Ollama and its models, and of the repository of the current folder (or of
--project) its configuration, files, index and registration with Claude Code.

Alone it starts, pulls and changes nothing, but for the embedding model, which Ollama loads.

With --fix it runs the commands that mend what it has found, and asks before each one. For
scripts --yes agrees to all. Without it and without a terminal the commands are printed
only. What a person has to decide, such as what a file is to say, stays as it is, and the
exit code is that of a last look.

With --try it also makes a round trip: it starts the database if it is your own, makes a
schema in it, indexes three small documents there, searches them by words and by meaning,
asks a question, drops the schema, and starts the server as it is registered with Claude
Code. What Ollama lacks the models for is left out. The project's own index is not touched.
A command that a .mcp.json of the repository names is run only if you agree, or with --yes.

The exit code is 0 if all is well, 1 if there is an error, and 2 if there are warnings
only. Findings that are skipped do not count.`,
		Example: "  compound-docs doctor\n  compound-docs doctor --try\n  compound-docs doctor --fix\n" +
			"  compound-docs doctor --project ~/my-project --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			d.asker, d.flags = newAsker(cmd, args, d.yes), flags
			return d.diagnose(cmd.Context())
		},
	}
	command.Flags().BoolVar(&d.team, "team", false, "look at what concerns all servers of a shared database too")
	command.Flags().BoolVar(&d.try, "try", false, "index, search and ask in a schema of its own, and start the registered server")
	command.Flags().BoolVar(&d.fix, "fix", false, "run what mends the findings, one command after the other, if you agree")
	command.Flags().BoolVarP(&d.yes, "yes", "y", false, "ask nothing, and do what would be asked for")
	return command
}

// doctorFlags are those of compound-docs doctor.
type doctorFlags struct {
	asker

	flags          *flags
	team, try, fix bool
	root           string // the repository that was looked at
}

// diagnosis holds the findings for --json.
type diagnosis struct {
	Version  string           `json:"version"`
	Severity doctor.Severity  `json:"severity"` // of the worst finding
	Findings []doctor.Finding `json:"findings"`
	Fixed    []fixed          `json:"fixed,omitempty"`
}

func (d *doctorFlags) diagnose(ctx context.Context) error {
	found := diagnosis{Version: version}
	var err error
	if d.fix {
		found.Fixed, err = d.mend(ctx)
	}
	if err == nil {
		found.Findings, err = d.look(ctx, d.try)
	}
	if err != nil {
		return err
	}
	found.Severity = doctor.Worst(found.Findings)
	if err := d.print(found, func(w io.Writer) { printFindings(w, found.Findings) }); err != nil {
		return err
	}
	switch found.Severity {
	case doctor.Error:
		return severityError{exitErrors}
	case doctor.Warning:
		return severityError{exitWarnings}
	default:
		return nil
	}
}

// look makes all checks, and the round trip if try is set.
func (d *doctorFlags) look(ctx context.Context, try bool) (findings []doctor.Finding, err error) {
	home, err := homeFolder()
	if err != nil {
		return nil, err
	}
	settings, settingsErr := project.LoadSettings(home)
	if settingsErr != nil {
		settings = project.DefaultSettings()
	}
	o, err := d.flags.resolveWith(home, settings)
	if err != nil {
		return nil, err
	}
	o.logLevel = max(o.logLevel, slog.LevelError) // findings are printed, not logged
	err = o.withSetup(d.stderr, func(s *setup) error {
		system, err := s.system(settingsErr, d.team)
		if err != nil {
			return err
		}
		d.root = system.Root
		findings = doctor.Run(ctx, system)
		if try {
			findings = append(findings, s.tryOut(ctx, system.Root, d.may)...)
		}
		return nil
	})
	return findings, err
}

// system gathers the parts of the set-up.
func (s *setup) system(settingsErr error, team bool) (doctor.System, error) {
	root := s.project
	if root == "" {
		var err error
		if root, err = project.FindRoot("."); err != nil {
			return doctor.System{}, err
		}
	}
	return doctor.System{
		Version: version, Home: s.home, Settings: s.settings, SettingsErr: settingsErr, Root: root, Team: team,
		DatabaseURL: s.databaseURL, Server: s.server, Index: s.index, Ollama: s.models,
	}, nil
}

// printFindings prints a line for each finding, and one for what to do about it.
func printFindings(w io.Writer, findings []doctor.Finding) {
	counts := map[doctor.Severity]int{}
	for _, finding := range findings {
		counts[finding.Severity]++
		const taken = 22
		plain.Printf(w, "%-8s %-12s %s\n", finding.Severity, finding.Check, plain.Hanging(w, taken, finding.What))
		switch {
		case strings.HasPrefix(finding.Fix, "run"): // people copy it
			plain.Printf(w, "%21s → %s\n", "", finding.Fix)
		case finding.Fix != "":
			plain.Printf(w, "%21s → %s\n", "", plain.Hanging(w, taken+2, finding.Fix))
		}
	}
	if counts[doctor.Error]+counts[doctor.Warning] == 0 {
		plain.Printf(w, "\nall is well\n")
		return
	}
	plain.Printf(w, "\n%s, %s\n", plain.Count(counts[doctor.Error], "error"), plain.Count(counts[doctor.Warning], "warning"))
}

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
