package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// By words alone, the hook points to the documents of questions, and leaves everyday
// prompts and the questions of others alone.
func TestHook_KeepsItsFloors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set    string
		others []string
		// shown is the most of the questions of others, and kept the least of the own.
		shown, kept float64
	}{
		{"corpus", []string{"../everyday.jsonl", "../other.jsonl"}, .01, .64},
		{"literal", []string{"../everyday.jsonl", "../other.jsonl", "../corpus/queries.jsonl"}, .025, .8},
	} {
		t.Run(test.set, func(t *testing.T) {
			t.Parallel()
			if test.set == "literal" {
				testenv.Slow(t, "450 prompts of stack traces and errors are asked")
			}
			got, err := askHook(t.Context(), task{folder: filepath.Join("..", test.set), others: test.others}, rag.Lexical,
				mcpclient.Installation{
					Program: testenv.Program(t), Root: t.TempDir(), Home: t.TempDir(),
					DatabaseURL: testenv.DatabaseURL(t), OllamaHost: nobody,
				})
			if err != nil {
				t.Fatal(err)
			}
			if got.everyday.asked != 200 || got.everyday.share() > .008 {
				t.Errorf("of everyday prompts %+v get a document, want at most .008 of 200", got.everyday)
			}
			if got.others.asked < 100 || got.others.share() > test.shown {
				t.Errorf("of the questions of others %+v get a document, want at most %g", got.others, test.shown)
			}
			if got.right.share() < test.kept {
				t.Errorf("of the questions with the right document first %+v get it, want %g", got.right, test.kept)
			}
		})
	}
}
