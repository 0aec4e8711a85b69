package main

import (
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

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
	return judgeTask(t, of, sizes...)
}

func judgeTask(t *testing.T, of task, sizes ...int) []sample {
	t.Helper()
	in := mcpclient.Installation{Program: testenv.Program(t), Home: t.TempDir(), DatabaseURL: testenv.IndexURL(t), OllamaHost: nobody}
	samples, err := judge(t.Context(), in, of, sizes, true, hybrid)
	if err != nil {
		t.Fatal(err)
	}
	return samples[hybrid]
}

// The first task of a session gets a shortlist with the document that it needs, and silence if there is none, in large
// projects and in small ones. The rule was tuned on all four. The floors are about what each set reaches.
func TestHook_ShortlistsKeepTheirFloors(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "hundreds of prompts are asked")
	for file, floor := range map[string]struct{ right, silent float64 }{
		"tasks/own.jsonl":    {.9, .75},
		"tasks/demo.jsonl":   {.825, .65},
		"tasks/third.jsonl":  {.7, .8},
		"tasks/fourth.jsonl": {.775, .8},
	} {
		t.Run(path.Base(file), func(t *testing.T) {
			t.Parallel()
			for _, s := range judgePrompts(t, file, 15, 5) {
				right, wrong := s.listed(firstTask)
				_, others := s.listed(otherTask)
				_, shown := s.listed(firstEveryday)
				t.Logf("%d documents: of %d tasks %.3f get their document and %.3f only others; %.3f of %d others are silent; %.3f of everyday prompts get any",
					s.documents, len(right), share(right), share(wrong), 1-share(others), len(others), share(shown))
				if share(right) < floor.right || share(wrong) > .15 || 1-share(others) < floor.silent || share(shown) > .02 {
					t.Errorf("want %g of the tasks, %g of the others silent, .15 only others, and .02 of everyday prompts", floor.right, floor.silent)
				}
				if len(others) != 40 || len(shown) != 200 || s.whole && len(right) != 40 {
					t.Errorf("want 40 tasks with an answer and without, and 200 everyday prompts, got %d, %d and %d", len(right), len(others), len(shown))
				}
			}
		})
	}
}

// A task is heard beside what is pasted in front of it or behind it.
func TestHook_ShortlistsHearTasksBesidePastedText(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "hundreds of prompts are asked")
	var pasted []txtar.File
	for _, set := range []string{"one", "two", "three", "four"} {
		archive, err := txtar.ParseFile("tasks/pasted-" + set + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		pasted = append(pasted, archive.Files...)
	}
	for file, floor := range map[string]float64{
		"tasks/own.jsonl": .9, "tasks/demo.jsonl": .825, "tasks/third.jsonl": .7, "tasks/fourth.jsonl": .775,
	} {
		t.Run(path.Base(file), func(t *testing.T) {
			t.Parallel()
			of, err := promptTask("../..", file)
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range of.Queries {
				parts := []string{q.Text, string(pasted[i%len(pasted)].Data)}
				if i%2 == 0 {
					slices.Reverse(parts)
				}
				of.Queries[i].Text = strings.Join(parts, "\n\n")
			}
			of.others = nil
			s := judgeTask(t, of)[0]
			right, wrong := s.listed(firstTask)
			_, others := s.listed(otherTask)
			t.Logf("of %d tasks %.3f get their document and %.3f only others; %.3f of %d others are silent",
				len(right), share(right), share(wrong), 1-share(others), len(others))
			if len(right) != 40 || share(right) < floor || share(wrong) > .15 || 1-share(others) < .65 {
				t.Errorf("want %g of 40 tasks, .15 only others, and .65 of the others silent", floor)
			}
		})
	}
}

// A prompt with the title, an alias or a part of the title gets that document, in large projects and in small ones.
func TestHook_TitlesKeepTheirFloors(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "hundreds of prompts are asked")
	const floor = .95
	for _, s := range judgePrompts(t, "titles/demo.jsonl", 15, 5, 2) {
		right, wrong := s.listed(titled)
		_, others := s.listed(otherTitle)
		_, shown := s.listed(firstEveryday)
		t.Logf("%d documents: of %d prompts %.3f get their document and %.3f another one; %.3f of %d others and %.3f of everyday prompts get any",
			s.documents, len(right), share(right), share(wrong), share(others), len(others), share(shown))
		if share(right) < floor || share(slices.Concat(wrong, others, shown)) > .01 {
			t.Errorf("want %g of the prompts, and no others", floor)
		}
	}
}
