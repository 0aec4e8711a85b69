package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/document"
)

// documentPath returns the absolute path of a file that is there, as seen from the
// working directory. Other paths are relative to the repository or its documents.
func documentPath(given string) (string, error) {
	_, err := os.Stat(given)
	if errors.Is(err, os.ErrNotExist) {
		return given, nil
	}
	return filepath.Abs(given)
}

// placeIn returns the place that an argument names, relative to the repository. The
// argument is relative to the working directory, as completion by a shell makes it.
func placeIn(root, argument string) (document.Place, error) {
	place := document.ParsePlace(filepath.ToSlash(argument))
	full, err := filepath.Abs(filepath.FromSlash(place.Path))
	if err != nil {
		return document.Place{}, fmt.Errorf("find %s: %w", argument, err)
	}
	relative, err := filepath.Rel(root, full)
	if err != nil || !filepath.IsLocal(relative) {
		return document.Place{}, usagef("%s is outside the repository %s", argument, root)
	}
	folder := strings.HasSuffix(place.Path, "/")
	if place.Path = filepath.ToSlash(relative); folder {
		place.Path += "/"
	}
	return place, nil
}

// completeMarkdown has a shell complete arguments with markdown files.
func completeMarkdown(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"md"}, cobra.ShellCompDirectiveFilterFileExt
}
