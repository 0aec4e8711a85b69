package tools_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

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

// A sync sends its progress, of files and of passages.
func TestProgress_Activation(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("docs/page-%03d.md", i)] = fmt.Sprintf("# Page %d\n%s\n", i, strings.Repeat("Some text. ", 10))
	}
	root := newProject(t, `{"project_name": "pages", "external_docs": {"path": "./docs"}}`, files)
	for name, version := range protocolVersions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, told := connectWatching(t, setup(t).server, version)
			_, ended := c.start(t, progressing("activate_project", activation(root), "sync"))
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			message := regexp.MustCompile(`^indexed (\d+) of 200 changed files, embedded (\d+) of (\d+) passages$`)
			last := next(t, told)
			for growing := true; growing; {
				found := message.FindStringSubmatch(last.Message)
				if found == nil || last.ProgressToken != "sync" {
					t.Fatalf("progress %+v", last)
				}
				files, embedded, passages := atoi(t, found[1]), atoi(t, found[2]), atoi(t, found[3])
				if last.Progress != float64(files+embedded) || last.Total != float64(200+passages) {
					t.Errorf("progress %v of %v, and in words: %s", last.Progress, last.Total, last.Message)
				}
				select {
				case progress := <-told:
					if progress.Progress <= last.Progress {
						t.Errorf("progress %v after %v: it must grow", progress.Progress, last.Progress)
					}
					last = progress
				default:
					growing = false
				}
			}
		})
	}
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
