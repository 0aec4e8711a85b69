package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// With the triggers that their documents declare, hooks point to the document that an act needs, and leave everyday acts alone.
// The triggers were written by authors who knew the format and one document at a time, and no act. Nobody looked at the misses of
// these sets while the matcher was written. The literal set has no triggers: its failures are found by quoted lines.
func TestHook_ActsKeepTheirFloors(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "two thousand acts are asked")
	floors := func(first, second, third string, of ...float64) map[string]float64 {
		return map[string]float64{first: of[0], second: of[1], third: of[2]}
	}
	found := func(of ...float64) map[string]float64 { return floors(command, knownFailure, edit, of...) }
	silence := func(of ...float64) map[string]float64 {
		return floors(everydayCommand, unknownFailure, everydayEdit, of...)
	}
	for _, test := range []struct {
		set   string
		found map[string]float64 // at least
		shown map[string]float64 // at most
	}{
		{"literal", map[string]float64{knownFailure: .96}, map[string]float64{unknownFailure: .02}},
		{"acts/seventeen", found(.95, .99, .85), silence(.005, .01, .02)},
		{"acts/eighteen", found(.95, .99, .95), silence(.01, .01, .01)},
	} {
		t.Run(test.set, func(t *testing.T) {
			t.Parallel()
			s := judgeActs(t, test.set)
			for kind, least := range test.found {
				right, wrong := s.pointed(kind)
				t.Logf("%s: of %d acts %.3f are found, %.3f wrongly", kind, len(right), share(right), share(wrong))
				if share(right) < least {
					t.Errorf("%s: of %d acts %.3f get their document, want %g, and %.3f another one", kind, len(right), share(right), least, share(wrong))
				}
			}
			for kind, most := range test.shown {
				_, shown := s.pointed(kind)
				t.Logf("%s: of %d acts %.3f get a document", kind, len(shown), share(shown))
				if len(shown) == 0 || share(shown) > most {
					t.Errorf("%s: of %d acts %.3f get a document, want at most %g", kind, len(shown), share(shown), most)
				}
			}
			if testing.Verbose() {
				s.logMisses(t)
			}
		})
	}
}

// When a file is read, its documents are those that name what it defines. Both sets were written before the rules,
// and the rules were tuned on the first.
func TestHook_CodeKeepsItsFloors(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"code", "othercode"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			s := judgeActs(t, set)
			right, wrong := s.pointed(code)
			_, shown := s.pointed(everydayCode)
			t.Logf("of %d files %.3f are found, %.3f wrongly; %.3f of %d others get a document", len(right), share(right), share(wrong), share(shown), len(shown))
			if len(right) != 60 || len(shown) != 60 || share(right) < .8 || share(wrong) > .03 || share(shown) > .03 {
				t.Error("want .8 of 60 files, and .03 of the others")
			}
			if testing.Verbose() {
				s.logMisses(t)
			}
		})
	}
}

func judgeActs(t *testing.T, set string) sample {
	t.Helper()
	task, err := actTask(set)
	if err != nil {
		t.Fatal(err)
	}
	in := mcpclient.Installation{Program: testenv.Program(t), Home: t.TempDir(), DatabaseURL: testenv.IndexURL(t), OllamaHost: nobody}
	samples, err := judge(t.Context(), in, task, nil, true, lexical)
	if err != nil {
		t.Fatal(err)
	}
	return samples[lexical][0]
}

func (s sample) logMisses(t *testing.T) {
	t.Helper()
	var took []time.Duration
	for _, r := range s.results {
		took = append(took, r.took)
		if r.judged[r.pointed] <= 0 && isAct(r.Kind) && (r.pointed != "" || r.judged.answerable()) {
			text, _, _ := strings.Cut(strings.TrimSpace(r.Text), "\n")
			t.Logf("%s %s %q: %s", r.Kind, r.ID, text, cmp.Or(r.pointed, "silent"))
		}
	}
	slices.Sort(took)
	t.Logf("p50 %s, p95 %s", took[len(took)/2], took[len(took)*95/100])
}
