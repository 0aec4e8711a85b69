// Package doctor looks for faults of a set-up and says how to repair them. It starts, pulls and changes nothing, except
// that a model server loads the embedding model. The report contains no password.
//
// A check looks at one thing, and may use results of earlier checks. Without a database, for example, the check of the
// index is skipped.
package doctor

import (
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
	"github.com/compound-docs/compound-docs/internal/setup/pgserver"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Severity says how bad a finding is.
type Severity string

// Severities, from the least to the worst.
const (
	OK      Severity = "ok"
	Skipped Severity = "skipped" // the check is not possible, because of another finding or on this system
	Warning Severity = "warning" // searches work, but something is missing
	Error   Severity = "error"   // something does not work
)

// Finding is a result of a check.
type Finding struct {
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	Fix      string   `json:"fix,omitempty"` // how to repair the fault, with a command if possible; "" without a fault
}

// Worst returns the severity of the worst finding: Error, Warning or OK.
func Worst(findings []Finding) Severity {
	for _, worst := range []Severity{Error, Warning} {
		if slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == worst }) {
			return worst
		}
	}
	return OK
}

// System has the parts of the set-up that Run examines.
type System struct {
	Home string // folder of the user's files
	// Settings are the user's settings. If settings.json cannot be read, they are the defaults and SettingsErr is set.
	Settings     project.Settings
	SettingsErr  error
	Root         string           // root of the repository, which may have no configuration
	DatabaseURL  string           // "" for the private database
	Server       *pgserver.Server // the private database, or nil
	Index        *index.Index     // not used with an older database, because the first use would migrate the database
	ModelServers []ModelServer    // one or two; the first makes the vectors
	Short        bool             // only the short checks
}

type check struct {
	name  string
	run   func(ctx context.Context, e *examination) []Finding
	short bool // the check also belongs to the short report of what runs
}

// checks run in this order, because later checks use results of earlier checks.
var checks = []check{
	{"config", checkSettings, true},
	{"database", checkDatabase, true},
	{"database", checkSchema, false},
	{"models", checkServers, true},
	{"models", checkModels, false},
	{"config", checkConfig, false},
	{"config", checkClients, false},
	{"index", checkIndex, false},
}

// examination has the system, and results of checks that later checks need.
type examination struct {
	System

	databaseURL string           // URL of a usable database, or ""
	migrated    bool             // the database has this program's schema
	embeds      bool             // the first model server has the embedding model
	project     *project.Project // nil without a valid configuration
	projectErr  error            // why project is nil
}

// Run makes the checks, and returns at least one finding of each. After ctx has ended, it leaves out further checks.
func Run(ctx context.Context, system System) []Finding {
	e := &examination{System: system}
	e.project, e.projectErr = e.Settings.Load(e.Root)
	var findings []Finding
	for _, check := range checks {
		if ctx.Err() != nil || e.Short && !check.short {
			continue
		}
		for _, finding := range check.run(ctx, e) {
			finding.Check = check.name
			findings = append(findings, finding)
		}
	}
	return findings
}

func one(severity Severity, what, fix string) []Finding {
	return []Finding{{Severity: severity, What: what, Fix: fix}}
}

func command(words ...string) string { return "run: " + clients.QuoteLine(words) }
