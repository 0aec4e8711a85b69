package main

import (
	"io"
	"testing"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

// A command names its own flags, and commands instead of tools.
func TestWordsOf(t *testing.T) {
	t.Parallel()
	root := newCommand(io.Discard)
	search, _, err := root.Find([]string{"search"})
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[apierror.Part]string{
		apierror.Parameter("min_relevance_score"):                     "--min-relevance-score",
		apierror.Parameter("query"):                                   "query",
		apierror.Parameter("promotion_level"):                         "LEVEL",
		apierror.Argument{Parameter: "mode", Value: "lexical"}:        "--mode lexical",
		apierror.Call{Tool: "activate_project", How: "with its path"}: "run compound-docs sync",
	} {
		if got := wordsOf(search)(part); got != want {
			t.Errorf("%v is %q, want %q", part, got, want)
		}
	}
	for _, tool := range []string{"semantic_search", "search_external_docs", "search_handbook"} {
		call := wordsOf(search)(apierror.Call{Tool: tool})
		if problem := checkCall(root, call[len("run `"):len(call)-1]); problem != "" {
			t.Errorf("instead of %s: %s", tool, problem)
		}
	}
}

// A filter of own documents does not go with other collections.
func TestFilters_AreOfOwnDocuments(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{"doc-types", "promotion-levels", "status"} {
		for _, other := range []string{"external", "handbook"} {
			command, _, err := newCommand(io.Discard).Find([]string{"search"})
			if err != nil {
				t.Fatal(err)
			}
			if err := command.ParseFlags([]string{"--" + filter, "x", "--" + other}); err != nil || command.ValidateFlagGroups() == nil {
				t.Errorf("%s goes with --%s (%v)", filter, other, err)
			}
		}
	}
}
