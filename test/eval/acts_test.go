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

// By words alone, the hooks of what an assistant does point to the documents that warn of it, and leave
// everyday acts alone. Known failures of the literal set are its error lines and traces. docs/evaluation.md says on
// which sets the rules were tuned.
func TestHook_ActsKeepTheirFloors(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "two thousand acts are asked")
	// The floors are what each set reaches. The polarity of quotes is learned from documents, among them those of acts and of
	// one to eight. Of nine and of eleven to sixteen the misses were looked at. Ten and seventeen were asked, and not looked at.
	silence := func(commands, failures, edits float64) map[string]float64 {
		return map[string]float64{everydayCommand: commands, unknownFailure: failures, everydayEdit: edits}
	}
	found := func(commands, failures, edits float64) map[string]float64 {
		return map[string]float64{command: commands, knownFailure: failures, edit: edits}
	}
	// An act of these may touch two documents, of which one is judged.
	another := map[string]float64{
		"otheracts/twelve": .1, "otheracts/thirteen": .05, "otheracts/fourteen": .05, "otheracts/fourteen" + captured: .05,
		"otheracts/fifteen" + captured: .13, "otheracts/sixteen": .05, "otheracts/seventeen": .05,
	}
	for _, test := range []struct {
		set, others string
		found       map[string]float64 // at least
		shown       map[string]float64 // at most
		everyday    int                // acts of each everyday kind, at least
	}{
		{"acts", "acts", map[string]float64{command: .82, edit: .76}, silence(.015, .01, .02), 100},
		{"literal", "acts", map[string]float64{knownFailure: .96}, silence(.005, .02, .01), 100},
		{"otheracts/one", "otheracts/one", found(.96, .99, .99), silence(.005, .005, .045), 40},
		{"otheracts/two", "otheracts/two", found(.94, .99, .99), silence(.005, .005, .005), 40},
		{"otheracts/three", "otheracts/three", found(.88, .99, .99), silence(.005, .005, .05), 30},
		{"otheracts/four", "otheracts/four", found(.91, .99, .83), silence(.005, .015, .025), 30},
		{"otheracts/five", "otheracts/five", found(.94, .99, .99), silence(.005, .005, .005), 30},
		{"otheracts/six", "otheracts/six", found(.99, .99, .99), silence(.015, .005, .085), 20},
		{"otheracts/seven", "otheracts/seven", found(.74, .96, .83), silence(.005, .005, .065), 60},
		{"otheracts/eight", "otheracts/eight", found(.78, .83, .74), silence(.025, .035, .045), 50},
		{"otheracts/nine", "otheracts/nine", found(.6, .95, .54), silence(.025, .005, .06), 50},
		{"otheracts/ten", "otheracts/ten", found(.77, .64, .38), silence(.05, .045, .045), 45},
		{"otheracts/eleven", "otheracts/eleven", found(.35, .9, .17), silence(.06, .02, .06), 50},
		{"otheracts/twelve", "otheracts/twelve", found(.45, .9, .42), silence(.04, .05, .07), 60},
		{"otheracts/thirteen", "otheracts/thirteen", found(.5, .78, .45), silence(.06, .035, .13), 55},
		{"otheracts/fourteen", "otheracts/fourteen", found(.45, .82, .16), silence(.055, .035, .05), 40},
		{"otheracts/fourteen" + captured, "otheracts/fourteen", found(.83, .74, .49), silence(.05, .02, .15), 40},
		{"otheracts/fifteen", "otheracts/fifteen", found(.31, .99, .29), silence(.065, .07, .1), 20},
		{"otheracts/fifteen" + captured, "otheracts/fifteen", found(.83, .99, .66), silence(.08, .07, .42), 20},
		{"otheracts/sixteen", "otheracts/sixteen", found(.35, .89, .16), silence(.03, .035, .15), 55},
		{"otheracts/sixteen" + captured, "otheracts/sixteen", found(.79, .92, .7), silence(.075, .02, .24), 55},
		{"otheracts/seventeen", "otheracts/seventeen", found(.33, .99, .37), silence(.055, .02, .06), 55},
		{"otheracts/seventeen" + captured, "otheracts/seventeen", found(.7, .99, .62), silence(.055, .02, .11), 55},
	} {
		t.Run(test.set, func(t *testing.T) {
			t.Parallel()
			s := judgeActs(t, strings.TrimSuffix(test.set, captured), test.others+"/others.jsonl", strings.HasSuffix(test.set, captured))
			for kind, least := range test.found {
				right, wrong := s.pointed(kind)
				t.Logf("%s: of %d acts %.3f are found, %.3f wrongly", kind, len(right), share(right), share(wrong))
				if share(right) < least || share(wrong) > cmp.Or(another[test.set], .03) {
					t.Errorf("%s: of %d acts %.3f get their document, want %g, and %.3f another one", kind, len(right), share(right), least, share(wrong))
				}
			}
			for kind, most := range test.shown {
				_, shown := s.pointed(kind)
				t.Logf("%s: of %d acts %.3f get a document", kind, len(shown), share(shown))
				if len(shown) < test.everyday || share(shown) > most {
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
			s := judgeActs(t, set, set+"/others.jsonl", false)
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

// captured is behind the name of a set whose documents were written again by the skill capture, from those alone.
const captured = ", captured"

func judgeActs(t *testing.T, set, others string, captured bool) sample {
	t.Helper()
	task, err := actTask(set, others, captured)
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
