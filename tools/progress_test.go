package tools_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connectWatching returns a client and the channel of its progress notifications.
func connectWatching(t *testing.T, server *mcp.Server, version string) (client, <-chan mcp.ProgressNotificationParams) {
	t.Helper()
	told := make(chan mcp.ProgressNotificationParams, 1000)
	c := connectWith(t, server, version, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			told <- *request.Params
		},
	})
	return c, told
}

// progressing returns the parameters of a call that asks for progress.
func progressing(tool string, arguments any, token any) *mcp.CallToolParams {
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken(token)
	return params
}

func next(t *testing.T, told <-chan mcp.ProgressNotificationParams) mcp.ProgressNotificationParams {
	t.Helper()
	select {
	case progress := <-told:
		return progress
	case <-time.After(time.Minute):
		t.Fatal("no progress")
		return mcp.ProgressNotificationParams{}
	}
}

// A long sync sends its progress. Here the batch of the last 8 files ends only after
// the client was notified of the first 32.
func TestProgress_Activation(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("docs/page-%02d.md", i)] = fmt.Sprintf("# Page %d\n%s\n", i, strings.Repeat("Some text. ", 10))
	}
	root := newProject(t, `{"project_name": "pages", "external_docs": {"path": "./docs"}}`, files)
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			c, told := connectWatching(t, f.server, version)
			const betweenBatches = 2000 // bytes of a request
			goOn := make(chan struct{})
			f.fake.Observe(func(r *http.Request) {
				if r.URL.Path == "/api/embed" && r.ContentLength < betweenBatches {
					<-goOn
				}
			})
			_, ended := c.start(t, progressing("activate_project", activation(root), "sync"))
			last := mcp.ProgressNotificationParams{Progress: -1}
			for last.Progress < 32 {
				progress := next(t, told)
				if progress.Progress <= last.Progress {
					t.Errorf("progress %v after %v: it must grow", progress.Progress, last.Progress)
				}
				last = progress
			}
			want := mcp.ProgressNotificationParams{
				ProgressToken: "sync", Progress: 32, Total: 40, Message: "indexed 32 of 40 changed files",
			}
			if diff := cmp.Diff(want, last); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
			close(goOn)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// The progress of an answer has no total. A client that does not ask gets none.
func TestProgress_Generation(t *testing.T) {
	t.Parallel()
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, told := connectWatching(t, setup(t).server, version)
			c.activate(t, copyProject(t, "testdata/project"))
			question := arguments{"query": question, "min_relevance_score": 0.5}
			c.ask(t, "rag_query", question)
			if _, err := c.CallTool(t.Context(), progressing("rag_query", question, 7)); err != nil {
				t.Fatal(err)
			}
			want := mcp.ProgressNotificationParams{ProgressToken: 7.0, Progress: 1, Message: "writing the answer"}
			if diff := cmp.Diff(want, next(t, told)); diff != "" {
				t.Errorf("the first progress (-want +got):\n%s", diff)
			}
		})
	}
}
