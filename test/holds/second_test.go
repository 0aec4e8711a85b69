package holds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/compound-docs/compound-docs/test/newproject"
)

// A document that says that it no longer holds, in any of the forms, has its mark and comes behind the present one.
// A document that only looks so has no mark. Hooks point to no document that does not hold.
func TestInit_FormsOfNoLonger(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]int{"second": 28, "lookalike": 28} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			client := newproject.Serve(t, archive.Files)
			right := 0
			for line := range strings.Lines(string(archive.Comment)) {
				fields := strings.Split(strings.TrimSpace(line), " | ")
				if len(fields) < 3 {
					continue
				}
				folder := "./" + fields[0] + "/docs/"
				var got struct {
					Results   []document `json:"results"`
					MayAnswer []document `json:"may_answer"`
				}
				if err := client.Call(t.Context(), "semantic_search", map[string]any{"query": fields[1]}, &got); err != nil {
					t.Fatal(err)
				}
				said, err := client.Text(t.Context(), "recall", map[string]any{"event": "UserPromptSubmit", "session_id": folder, "prompt": fields[1]})
				if err != nil {
					t.Fatal(err)
				}
				faults := []string{}
				want, later := map[string]string{}, folder+fields[2]
				if len(fields) > 3 {
					want[folder+fields[3]] = strings.Trim(fields[4], "-")
					if fields[4] != "-" && !strings.HasPrefix(fields[4], "amended") && strings.Contains(said, ": "+folder+fields[3]) {
						faults = append(faults, "a hook points to the older: "+said)
					}
				}
				found := slices.DeleteFunc(slices.Concat(got.Results, got.MayAnswer), func(d document) bool { return !strings.HasPrefix(d.Path, folder) })
				if len(found) == 0 || found[0].Path != later {
					faults = append(faults, "the present one is not first")
				}
				for _, d := range found {
					if d.Status != want[d.Path] {
						faults = append(faults, fmt.Sprintf("%s has the mark %q, want %q", d.Path, d.Status, want[d.Path]))
					}
				}
				if len(faults) == 0 {
					right++
				} else {
					t.Logf("%s: %s; found %v", fields[0], strings.Join(faults, "; "), found)
				}
			}
			t.Logf("%s: %d right", name, right)
			if right < least {
				t.Errorf("%s: %d are right, want %d", name, right, least)
			}
		})
	}
}
