package main

import (
	"io"
	"testing"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/tools"
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

// Each filter of own documents has a flag, which does not go with other collections.
func TestFilters_HaveFlagsOfSearch(t *testing.T) {
	t.Parallel()
	search, _, err := newCommand(io.Discard).Find([]string{"search"})
	if err != nil {
		t.Fatal(err)
	}
	for _, filter := range tools.Filters() {
		if filter.Flag == "" {
			continue
		}
		for _, other := range []string{"external", "handbook"} {
			command, _, err := newCommand(io.Discard).Find([]string{"search"})
			if err != nil {
				t.Fatal(err)
			}
			if err := command.ParseFlags([]string{"--" + filter.Flag, "x", "--" + other}); err != nil || command.ValidateFlagGroups() == nil {
				t.Errorf("%s goes with --%s (%v)", filter.Flag, other, err)
			}
		}
		if search.Flags().Lookup(filter.Flag).Usage != filter.Usage {
			t.Errorf("--%s has no help", filter.Flag)
		}
	}
}
