// Package doctor looks for what is wrong with a set-up, and says how to mend it. It
// starts, pulls and changes nothing, and what it says holds no password.
//
// A check looks at one thing. What an earlier check has found out, later ones may use:
// without a database there is no index to look at.
package doctor

import (
	"cmp"
	"context"
	"slices"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/pgserver"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag/index"
)

// Severity says how bad a finding is.
type Severity string

// Severities, from the least to the worst.
const (
	// OK is a thing that is as it should be.
	OK Severity = "ok"
	// Skipped could not be looked at, because of another finding or on this system.
	Skipped Severity = "skipped"
	// Warning leaves something out: searches work.
	Warning Severity = "warning"
	// Error keeps something from working.
	Error Severity = "error"
)

// Finding is a result of a check.
type Finding struct {
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	// Fix says how to mend it, with the command if there is one; "" if nothing is wrong.
	Fix string `json:"fix,omitempty"`
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

// System names the parts of the set-up that are examined.
type System struct {
	Version string // of the program
	Home    string // the user's folder
	// Settings are the defaults if SettingsErr is why they could not be read.
	Settings    project.Settings
	SettingsErr error
	// Root is the repository; it need not have a configuration.
	Root string
	// DatabaseURL is "" for the user's own server.
	DatabaseURL string
	Server      *pgserver.Server // nil where a URL names another
	// Index is looked at only where the database is up to date, so that it is not migrated.
	Index *index.Index
	// ModelServers are one or two. The first makes the vectors.
	ModelServers []ModelServer
	// Short leaves only the checks that say what runs.
	Short bool
}

// check is a thing to look at.
type check struct {
	name  string
	run   func(ctx context.Context, e *examination) []Finding
	short bool // it says what runs
}

// checks are in the order in which things depend on each other.
var checks = []check{
	{"program", checkProgram, true},
	{"settings", checkSettings, true},
	{"home folder", checkHome, true},
	{"database", checkDatabase, true},
	{"schema", checkSchema, false},
	{"ollama", checkServers, true},
	{"models", checkModels, false},
	{"config", checkConfig, false},
	{"doc-types", checkDocTypes, false},
	{"files", checkFiles, false},
	{"git", checkGit, false},
	{"index", checkIndex, false},
	{"Claude Code", checkClient, false},
}

// examination collects the results of one run that later checks need.
type examination struct {
	System

	databaseURL string          // of a database that can be used, "" if there is none
	migrated    bool            // the database has this program's schema
	embeds      bool            // the server has the embedding model
	unindexed   map[string]bool // files that the check of files has found

	// project is nil without a valid configuration. Then projectErr says what is wrong with it.
	project    *project.Project
	projectErr error
}

// Run makes the checks, and returns at least one finding for each.
func Run(ctx context.Context, system System) []Finding {
	e := &examination{System: system}
	e.project, e.projectErr = project.Load(e.Root, e.Settings.ExternalDocsAllowed...)
	var findings []Finding
	for _, check := range checks {
		if ctx.Err() != nil || e.Short && !check.short {
			continue
		}
		for _, finding := range check.run(ctx, e) {
			finding.Check = cmp.Or(finding.Check, check.name)
			findings = append(findings, finding)
		}
	}
	return findings
}

func one(severity Severity, what, fix string) []Finding {
	return []Finding{{Severity: severity, What: what, Fix: fix}}
}

// command returns the remedy that is one command.
func command(words ...string) string { return "run: " + claude.QuoteLine(words) }
