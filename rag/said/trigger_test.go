package said_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/compound-docs/compound-docs/rag/said"
)

// One wrong trigger is named by its field with what to write instead, and the trigger beside it holds.
func TestTriggers_Faults(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"{run: x, speaks: now}":       "triggers[0].speaks is unknown (expected: run, edit or fails, with, without, bare, writes, removes, new, say)",
		"{run: x, edit: y}":           "triggers[0] has 2 of run, edit, fails (expected: one of run, edit, fails, such as run: terraform apply -target)",
		"{with: x}":                   "triggers[0] has 0 of run, edit, fails (expected: one of run, edit, fails, such as run: terraform apply -target)",
		"terraform apply":             "triggers[0] is no trigger (expected: one of run, edit, fails, such as run: terraform apply -target)",
		"{run: }":                     "triggers[0].run is empty (expected: a text, or a list of texts, each of which may match)",
		"{run: []}":                   "triggers[0].run has 0 texts (expected: 1 to 500)",
		`{run: [x, "  "]}`:            "triggers[0].run[1] is empty or too long (expected: a text of 1 to 500 characters)",
		"{run: [x, {y: z}]}":          "triggers[0].run[1] is map[y:z] (expected: a text, or a list of texts, each of which may match)",
		"{run: x, writes: y}":         "triggers[0].writes stands beside run (expected: writes is for edit)",
		"{edit: x, bare: true}":       "triggers[0].bare stands beside edit (expected: bare is for run)",
		"{edit: x, new: maybe}":       "triggers[0].new is maybe (expected: true or false)",
		"{fails: x, say: [one, two]}": "triggers[0].say is no short text (expected: one sentence of at most 500 characters)",
	} {
		triggers, faults := read(t, "[ "+written+", {fails: exit 137} ]")
		if len(triggers) != 1 || triggers[0].String() != "fails exit 137" || len(faults) != 1 || faults[0].String() != want {
			t.Errorf("%s:\n got %v with %v\nwant the fault %q", written, triggers, faults, want)
		}
	}
	if triggers, faults := read(t, "run: terraform"); len(triggers) != 0 || len(faults) != 1 {
		t.Errorf("what is no list is %v with %v", triggers, faults)
	}
	if triggers, faults := read(t, ""); len(triggers)+len(faults) != 0 {
		t.Errorf("an empty field is %v with %v", triggers, faults)
	}
}

// The bound of a text counts characters, so that it is the same in all scripts.
func TestTriggers_CountCharacters(t *testing.T) {
	t.Parallel()
	for characters, want := range map[int]int{500: 0, 501: 1} {
		text := strings.Repeat("ж", characters)
		for _, trigger := range []string{"[{run: " + text + "}]", "[{run: x, say: " + text + "}]"} {
			if _, faults := read(t, trigger); len(faults) != want {
				t.Errorf("%d characters: %v, want %d faults", characters, faults, want)
			}
		}
	}
}

// A number is a pattern as it is written, and spaces count as one.
func TestTriggers_AreShownAsUnderstood(t *testing.T) {
	t.Parallel()
	triggers, faults := read(t, `[{run: [kill 8080, 9090], with: "on   prod", bare: true}, {edit: "a/**", new: false, without: b, say: No.}]`)
	if len(faults) != 0 || len(triggers) != 2 {
		t.Fatalf("%v with %v", triggers, faults)
	}
	for i, want := range []string{"run kill 8080 | 9090, with on prod, bare", "edit a/**, without b, file that is there"} {
		if got := triggers[i].String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func read(t *testing.T, field string) ([]said.Trigger, []said.Fault) {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(field), &value); err != nil {
		t.Fatal(err)
	}
	return said.Triggers(map[string]any{said.TriggersField: value})
}
