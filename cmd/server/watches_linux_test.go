package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// A system that gives no watches, as macOS where a folder's files use up the open files of a
// process, has folders listed instead.
func TestServe_WithoutWatches(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	relay, databaseURL, err := testenv.StartDatabaseRelay(testenv.IndexURL(t), nil) // a namespace's root may not use the socket
	must(t, err)
	defer relay.Close()
	i.set("CDOCS_DATABASE_URL", databaseURL)
	i.namespace = "echo 0 >/proc/sys/user/max_inotify_instances"
	command := exec.Command("unshare", "--map-root-user", "--mount", "sh", "-ec", i.namespace+"\nexec \"$@\"", "sh", i.program, "serve")
	command.Dir, command.Env = i.root, i.environment
	command.Stderr = t.Output()
	session, err := mcpclient.Start(t.Context(), command)
	must(t, err)
	defer func() { must(t, session.Close()) }()
	must(t, session.Activate(t.Context(), filepath.Join(i.root, configPath), "main"))
	write(t, i.root, promotable+"later.md", strings.ReplaceAll(problem, "%", "Heliotrope"))
	until(t, "a saved file is found", patience, func() bool {
		var found struct {
			Results []struct {
				Path string `json:"path"`
			} `json:"results"`
		}
		must(t, session.Call(t.Context(), "semantic_search", map[string]any{"query": "Heliotrope", "mode": "lexical"}, &found))
		return len(found.Results) > 0 && strings.HasSuffix(found.Results[0].Path, "later.md")
	})
}
