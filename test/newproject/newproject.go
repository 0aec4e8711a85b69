// Package newproject sets a repository up as a newcomer does: compound-docs init alone, without a model server.
package newproject

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/compound-docs/compound-docs/test/gitrepo"
	"github.com/compound-docs/compound-docs/test/mcpclient"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// Serve commits the files to a new repository, runs init there, and returns a client of a server. The server ends
// with the test.
func Serve(t *testing.T, files []txtar.File) *mcpclient.Client {
	t.Helper()
	repo := gitrepo.New(t)
	for _, file := range files {
		repo.Put(file.Name, string(file.Data))
	}
	repo.Git("init", "-q", "-b", "main")
	repo.Commit()
	installed := mcpclient.Installation{
		Program: testenv.Program(t), Root: repo.Root, Home: t.TempDir(), DatabaseURL: ragtest.IndexURL(t),
		OllamaHost: "http://127.0.0.1:1", Environment: []string{"CLAUDE_CONFIG_DIR=" + t.TempDir()},
	}
	init := installed.Command("init")
	init.Env = append(init.Env, "PATH="+filepath.Dir(testenv.Program(t))) // no assistant is found
	said, err := init.CombinedOutput()
	if err != nil {
		t.Fatalf("init: %v\n%s", err, said)
	}
	t.Logf("%s", said)
	client, err := mcpclient.Start(t.Context(), installed.Command("serve"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() }) // the server may end as it likes
	return client
}
