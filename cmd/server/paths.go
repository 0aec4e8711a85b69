package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
)

// documentPath makes the path of an existing file absolute. Tools read any other path relative to the repository.
func documentPath(given string) (string, error) {
	_, err := os.Stat(given)
	if errors.Is(err, os.ErrNotExist) {
		return given, nil
	}
	return filepath.Abs(given)
}

// placeIn parses an argument such as db/pool.go:40, which is relative to the working directory. The result is relative
// to the repository, and the path of a folder ends with a slash.
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
	relative = filepath.ToSlash(relative)
	info, err := os.Stat(full)
	if strings.HasSuffix(place.Path, "/") || err == nil && info.IsDir() {
		relative += "/"
	}
	place.Path = relative
	return place, nil
}
