package main

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

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

It starts, pulls and changes nothing. Ollama loads the embedding model.

The exit code is 0 if all is well, 1 if there is an error, and 2 if there are warnings
only. Findings that are skipped do not count.`,
		Example: "  compound-docs doctor\n  compound-docs doctor --project ~/my-project --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			d.invocation, d.flags = newInvocation(cmd, args), flags
			return d.diagnose(cmd.Context())
		},
	}
	command.Flags().BoolVar(&d.team, "team", false, "look at what concerns all servers of a shared database too")
	return command
}

// doctorFlags are those of compound-docs doctor.
type doctorFlags struct {
	invocation

	flags *flags
	team  bool
}

// diagnosis holds the findings for --json.
type diagnosis struct {
	Version  string           `json:"version"`
	Severity doctor.Severity  `json:"severity"` // of the worst finding
	Findings []doctor.Finding `json:"findings"`
}

func (d *doctorFlags) diagnose(ctx context.Context) error {
	findings, err := d.look(ctx)
	if err != nil {
		return err
	}
	found := diagnosis{Version: version, Severity: doctor.Worst(findings), Findings: findings}
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

// look makes all checks.
func (d *doctorFlags) look(ctx context.Context) (findings []doctor.Finding, err error) {
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
		findings = doctor.Run(ctx, system)
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
