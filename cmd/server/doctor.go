package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/doctor"
)

func newDoctorCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what is wrong with the set-up, and how to mend it",
		Long: `Say what is wrong with the database, the models, the configuration and the index, the worst
first, and print the command that mends it. It changes nothing, but Ollama loads the embedding
model. It ends with 1 if there is an error. An absent model server is a warning: searches work
without it. compound-docs lint finds faults of documents.`,
		Example: "  compound-docs doctor\n  compound-docs doctor --project ~/my-project --json",
		RunE:    flags.run(func(i invocation) error { return i.diagnose(false) }),
	}
}

func newStatusCommand(flags *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Say what runs: the database, Ollama and its models",
		Long:    `Print the head of the report of compound-docs doctor. It ends with 1 if that has an error.`,
		Example: "  compound-docs status --json",
		RunE:    flags.run(func(i invocation) error { return i.diagnose(true) }),
	}
}

// diagnosis is the report as --json prints it.
type diagnosis struct {
	Version  string           `json:"version"`
	Severity doctor.Severity  `json:"severity"` // severity of the worst finding
	Findings []doctor.Finding `json:"findings"`
}

// diagnose checks the set-up and prints the findings. If short is true, it makes only the checks of the command status.
// If the settings cannot be read, it reports that and uses the default settings.
func (i invocation) diagnose(short bool) error {
	home, err := homeFolder()
	if err != nil {
		return err
	}
	settings, settingsErr := project.LoadSettings(home)
	if settingsErr != nil {
		settings = project.DefaultSettings()
	}
	o, err := i.flags.resolveWith(home, settings)
	if err != nil {
		return err
	}
	o.logLevel = max(o.logLevel, slog.LevelError) // findings are printed, not logged
	return i.withSetup(o, func(s *setup) error { return s.report(settingsErr, short) })
}

// report checks the set-up, prints the findings, and returns errFound if a finding is an error. settingsErr may be nil.
func (s *setup) report(settingsErr error, short bool) error {
	found, findErr := findProject(s.project)
	if findErr != nil {
		found = s.project
	}
	root, err := project.FindRoot(found)
	if err != nil {
		return cmp.Or(findErr, err)
	}
	s.nameParent(s.project, root)
	findings := doctor.Run(s.command.Context(), doctor.System{
		Home: s.home, Settings: s.settings, SettingsErr: settingsErr, Root: root, Short: short,
		DatabaseURL: s.databaseURL, Server: s.server, Index: s.index, ModelServers: s.modelServers(),
	})
	reported := diagnosis{Version: version, Severity: doctor.Worst(findings), Findings: findings}
	if err := s.print(reported, func(w io.Writer) { printFindings(w, findings) }); err != nil {
		return err
	}
	if reported.Severity == doctor.Error {
		return errFound
	}
	return nil
}

// printFindings prints a summary and then the findings, the worst first. The remedy of a finding is on a line below it.
func printFindings(w io.Writer, findings []doctor.Finding) {
	urgent := []doctor.Severity{doctor.Warning, doctor.Error}
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b doctor.Finding) int {
		return cmp.Compare(slices.Index(urgent, b.Severity), slices.Index(urgent, a.Severity))
	})
	plain.Printf(w, "%s\n\n", summary(findings))
	for _, finding := range findings {
		plain.Printf(w, "%-8s %-12s %s\n", finding.Severity, finding.Check, finding.What)
		if finding.Fix != "" {
			plain.Printf(w, "%21s → %s\n", "", finding.Fix)
		}
	}
}

func summary(findings []doctor.Finding) string {
	counts := map[doctor.Severity]int{}
	for _, finding := range findings {
		counts[finding.Severity]++
	}
	if counts[doctor.Error]+counts[doctor.Warning] == 0 {
		return "all is well"
	}
	return fmt.Sprintf("%s, %s", plain.Count(counts[doctor.Error], "error"), plain.Count(counts[doctor.Warning], "warning"))
}
