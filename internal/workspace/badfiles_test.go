package workspace_test

import (
	"testing"
)

func indexedPaths(t *testing.T, f *fixture) []string {
	t.Helper()
	return f.rows(t, `SELECT relative_path FROM documents ORDER BY relative_path COLLATE "C"`)
}
