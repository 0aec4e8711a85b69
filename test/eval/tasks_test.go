package main

import (
	"path"
	"slices"
	"testing"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// judgePrompts asks the hook with the prompts of a file in projects of all documents and of each size, by words
// and built-in vectors.
func judgePrompts(t *testing.T, file string, sizes ...int) []sample {
	t.Helper()
	of, err := promptTask("../..", file)
	if err != nil {
		t.Fatal(err)
	}
	in := mcpclient.Installation{Program: testenv.Program(t), Home: t.TempDir(), DatabaseURL: testenv.IndexURL(t), OllamaHost: nobody}
	samples, err := judge(t.Context(), in, of, sizes, true, hybrid)
	if err != nil {
		t.Fatal(err)
	}
	return samples[hybrid]
}

// The first task of a session gets a shortlist with the document that it needs, and silence if there is none. The rules
// were tuned on our own set. The floors of the other one are what they reach there.
func TestHook_ShortlistsKeepTheirFloors(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "hundreds of prompts are asked")
	for file, floor := range map[string]struct{ right, wrong, silent float64 }{
		"tasks/own.jsonl":  {.85, .1, .9},
		"tasks/demo.jsonl": {.7, .1, .85},
	} {
		t.Run(path.Base(file), func(t *testing.T) {
			t.Parallel()
			s := judgePrompts(t, file)[0]
			right, wrong := s.listed(firstTask)
			_, others := s.listed(otherTask)
			_, shown := s.listed(firstEveryday)
			t.Logf("%.3f get their document and %.3f only others; %.3f of the others are silent; %.3f of everyday prompts get any",
				share(right), share(wrong), 1-share(others), share(shown))
			if len(right) != 40 || share(right) < floor.right || share(wrong) > floor.wrong {
				t.Errorf("of %d tasks %.3f get their document, want %g, and %.3f only others", len(right), share(right), floor.right, share(wrong))
			}
			if len(others) != 40 || 1-share(others) < floor.silent {
				t.Errorf("of %d tasks that nothing answers %.3f are silent, want %g", len(others), 1-share(others), floor.silent)
			}
			if len(shown) != 200 || share(shown) > .02 {
				t.Errorf("of %d everyday prompts %.3f get a document, want .02", len(shown), share(shown))
			}
		})
	}
}

// A prompt with the title, an alias or a part of the title gets that document, in large projects and in small ones.
func TestHook_TitlesKeepTheirFloors(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "hundreds of prompts are asked")
	const floor = .95
	for _, file := range []string{"titles/own.jsonl", "titles/demo.jsonl"} {
		t.Run(path.Base(file), func(t *testing.T) {
			t.Parallel()
			for _, s := range judgePrompts(t, file, 15, 5, 2) {
				right, wrong := s.listed(titled)
				_, others := s.listed(otherTitle)
				_, shown := s.listed(firstEveryday)
				t.Logf("%d documents: of %d prompts %.3f get their document and %.3f another one; %.3f of %d others and %.3f of everyday prompts get any",
					s.documents, len(right), share(right), share(wrong), share(others), len(others), share(shown))
				if share(right) < floor || share(slices.Concat(wrong, others, shown)) > .01 {
					t.Errorf("want %g of the prompts, and no others", floor)
				}
			}
		})
	}
}
