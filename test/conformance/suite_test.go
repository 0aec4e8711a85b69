package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// report is the document about the results of the suite.
var report = filepath.Join("..", "..", "docs", "conformance.md")

// protocolVersions are the columns of the report. From the second on, a server keeps
// no state.
var protocolVersions = []string{"2025-11-25", "2026-07-28"}

// check is one check of a scenario.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	ErrorMessage string `json:"errorMessage"` //nolint:tagliatelle // the suite's name
}

// The results of the official suite are those in docs/conformance.md: every check of
// the scenarios that apply passes, and none of withoutUs passes.
func TestSuite(t *testing.T) {
	t.Parallel()
	installed(t)
	content, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	want := parseReport(t, string(content))
	got := map[string]map[string]string{}
	for i, version := range protocolVersions {
		dir := t.TempDir()
		// The command fails, because the scenarios that do not apply fail.
		run(t, nil, "conformance", "server", "--url", serveHTTP(t, install(t), i > 0),
			"--suite", "all", "--spec-version", version, "--output-dir", dir)
		results := readResults(t, dir)
		if len(results) == 0 {
			t.Fatalf("the suite has no results for %s", version)
		}
		for scenario, checks := range results {
			if outcome, applies := want.judge(scenario, checks); applies {
				if got[scenario] == nil {
					got[scenario] = map[string]string{}
				}
				got[scenario][version] = outcome
			}
		}
	}
	if diff := cmp.Diff(want.applies, got); diff != "" {
		t.Errorf("scenarios that apply, with the checks that pass (-%s +suite):\n%s", report, diff)
	}
}

// readResults returns the checks of each scenario that was run.
func readResults(t *testing.T, dir string) map[string][]check {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "server-*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	folder := regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT`)
	results := map[string][]check{}
	for _, file := range files {
		name := folder.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		content, err := os.ReadFile(file)
		if err != nil || name == nil {
			t.Fatalf("%s: %v", file, err)
		}
		var checks []check
		if err := json.Unmarshal(content, &checks); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		results[name[1]] = checks
	}
	return results
}

// withoutUs has the scenarios that do not apply, by the reason. A scenario with checks behind a colon
// applies without these.
//
//nolint:gochecknoglobals // a table
var withoutUs = map[string][]string{
	"completion, which is not declared": {
		"completion-complete",
	},
	"prompts, which are not declared": {
		"prompts-get-embedded-resource",
		"prompts-get-simple",
		"prompts-get-with-args",
		"prompts-get-with-image",
	},
	"the suite's own resources": {
		"resources-read-binary",
		"resources-read-text",
		"resources-templates-read",
	},
	"subscriptions, which are not declared": {
		"resources-subscribe",
		"resources-unsubscribe",
	},
	"the suite's own tools": {
		"tools-call-audio",
		"tools-call-embedded-resource",
		"tools-call-error",
		"tools-call-image",
		"tools-call-mixed-content",
		"tools-call-simple-text",
		"tools-call-with-logging",
		"tools-call-with-progress",
		"json-schema-2020-12",
	},
	"questions to the user or to the client's model; the server asks none": {
		"tools-call-elicitation",
		"tools-call-sampling",
		"elicitation-sep1034-defaults",
		"elicitation-sep1330-enums",
	},
	"the suite's own tools; both are about HTTP": {
		"server-sse-polling",
		"http-custom-header-server-validation",
	},
	"a tool that asks the client for input": {
		"input-required-result-basic-elicitation",
		"input-required-result-basic-list-roots",
		"input-required-result-basic-sampling",
		"input-required-result-capability-check",
		"input-required-result-ignore-extra-params",
		"input-required-result-missing-input-response",
		"input-required-result-multi-round",
		"input-required-result-multiple-input-requests",
		"input-required-result-non-tool-request",
		"input-required-result-request-state",
		"input-required-result-result-type",
		"input-required-result-tampered-state",
	},
	"three tools of the suite, and prompts": {
		"server-stateless: sep-2575-server-rejects-undeclared-capability, sep-2575-missing-capability-http-400, " +
			"sep-2575-http-server-no-independent-requests-on-stream, sep-2575-server-no-log-without-loglevel, " +
			"sep-2575-server-declares-prompts-in-discover",
	},
}

// documented is the result that the report states.
type documented struct {
	// applies holds the outcome of each scenario, by version of the protocol.
	applies map[string]map[string]string
	// without holds the scenarios that do not apply, each with the checks that do not
	// apply, or with none if none of its checks applies.
	without map[string][]string
}

// parseReport reads the table: | `scenario` | outcome | outcome |.
func parseReport(t *testing.T, text string) documented {
	t.Helper()
	d := documented{applies: map[string]map[string]string{}, without: map[string][]string{}}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| ([^|]*) \\| ([^|]*) \\|$").FindAllStringSubmatch(text, -1) {
		d.applies[row[1]] = map[string]string{}
		for i, version := range protocolVersions {
			if outcome := row[2+i]; outcome != "–" {
				d.applies[row[1]][version] = outcome
			}
		}
	}
	for _, scenarios := range withoutUs {
		for _, scenario := range scenarios {
			name, checks, _ := strings.Cut(scenario, ": ")
			d.without[name] = strings.FieldsFunc(checks, func(r rune) bool { return strings.ContainsRune(", ", r) })
		}
	}
	if len(d.applies) == 0 {
		t.Fatalf("%s has no table", report)
	}
	return d
}

// judge returns the result of a scenario as the report writes it, and false for a
// scenario that withoutUs rightly lists. A warning counts as a
// failure: it is about something the suite could not see, or recommends.
func (d documented) judge(scenario string, checks []check) (outcome string, applies bool) {
	passed := 0
	bad := map[string]string{}
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			passed++
		case "FAILURE", "WARNING":
			bad[c.ID] = c.ErrorMessage
		}
	}
	excepted, listed := d.without[scenario]
	if listed && len(excepted) == 0 {
		return "passes, so it applies", len(bad) == 0
	}
	failed := slices.Sorted(maps.Keys(bad))
	if !slices.Equal(failed, slices.Sorted(slices.Values(excepted))) {
		return fmt.Sprint(bad), true
	}
	return strconv.Itoa(passed), true
}
