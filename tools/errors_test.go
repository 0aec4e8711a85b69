package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/rag/apierror"
)

type failOutput struct {
	Score float64 `json:"score"`
}

// callFailing calls a tool with the given handler. It returns the text of the answer
// and the server's log.
func callFailing(t *testing.T, handle func() error) (text, logged string) {
	t.Helper()
	var log bytes.Buffer
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	logger := slog.New(slog.NewTextHandler(&log, nil))
	tool := newTool(ofServer,
		func(*Handler, context.Context, struct{}) (failOutput, error) {
			return failOutput{Score: math.NaN()}, handle()
		}, &mcp.Tool{Name: "fail", InputSchema: inputSchema[struct{}](nil)})
	server.AddReceivingMiddleware(reportErrors(logger))
	server.AddTool(tool.Tool, (&Handler{logger: logger}).answering(tool))
	serverSide, clientSide := mcp.NewInMemoryTransports()
	running, err := server.Connect(t.Context(), serverSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), clientSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail"})
	if err != nil {
		t.Fatal(err)
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok || len(result.Content) != 1 || !result.IsError || result.StructuredContent != nil {
		t.Fatalf("%+v is not an error of one text", result)
	}
	if err := errors.Join(client.Close(), running.Wait()); err != nil {
		t.Fatal(err)
	}
	return content.Text, log.String()
}

// Every failure of a handler is answered with an error body.
func TestAnswering_ReportsErrors(t *testing.T) {
	t.Parallel()
	const bug = `{"error":true,"code":"INTERNAL_ERROR","message":"the server met a bug; its log has the details","details":{}}`
	tests := []struct {
		name   string
		handle func() error
		want   string
		logged string
	}{
		{
			"an error with details", func() error {
				return apierror.Errorf(apierror.DocumentNotFound, "there is no %q", "<a> & b").With("path", "<a> & b")
			},
			`{"error":true,"code":"DOCUMENT_NOT_FOUND","message":"there is no \"<a> & b\"","details":{"path":"<a> & b"}}`,
			`level=ERROR msg="tool call failed" tool=fail code=DOCUMENT_NOT_FOUND error="there is no`,
		},
		{
			"a wrapped error", func() error {
				return fmt.Errorf("the file is written; %w", apierror.Errorf(apierror.DatabaseError, "no connection").With("sqlstate", "08006"))
			},
			`{"error":true,"code":"DATABASE_ERROR","message":"the file is written; no connection","details":{"innerMessage":"the file is written; no connection","sqlstate":"08006"}}`,
			`code=DATABASE_ERROR`,
		},
		{
			"an error of the file system", func() error {
				return fmt.Errorf("replace: %w", &os.LinkError{Op: "rename", Old: "a", New: "b", Err: fs.ErrPermission})
			},
			`{"error":true,"code":"FILE_SYSTEM_ERROR","message":"replace: rename a b: permission denied; give the user that runs the server the right to it, for example with chmod u+rw","details":{}}`,
			`code=FILE_SYSTEM_ERROR`,
		},
		{
			"a cancelled call", func() error { return fmt.Errorf("search: %w", context.Canceled) },
			`{"error":true,"code":"INTERNAL_ERROR","message":"the call was cancelled","details":{}}`,
			`error="search: context canceled"`,
		},
		{
			"a deadline", func() error { return fmt.Errorf("search: %w", context.DeadlineExceeded) },
			`{"error":true,"code":"DATABASE_ERROR","message":"the call took too long and was given up; see whether another session ` +
				`holds a lock (pg_stat_activity), or this machine is overloaded, and try again","details":{"innerMessage":` +
				`"the call took too long and was given up; see whether another session ` +
				`holds a lock (pg_stat_activity), or this machine is overloaded, and try again"}}`,
			`error="search: context deadline exceeded"`,
		},
		{
			"a detail that cannot be encoded", func() error { return apierror.Errorf(apierror.InternalError, "odd").With("detail", func() {}) },
			`{"error":true,"code":"INTERNAL_ERROR","message":"odd","details":{}}`,
			`code=INTERNAL_ERROR`,
		},
		{"a panic", func() error { panic("secret") }, bug, `level=ERROR msg="request panicked" method=tools/call tool=fail cause=secret stack=`},
		{
			"an answer that is no JSON", func() error { return nil },
			`{"error":true,"code":"INTERNAL_ERROR","message":"encode the answer: json: unsupported value: NaN","details":{}}`,
			`level=ERROR msg="tool call failed" tool=fail code=INTERNAL_ERROR error=`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, logged := callFailing(t, tt.handle)
			if diff := cmp.Diff(tt.want, text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(logged, tt.logged) {
				t.Errorf("the log has no %s:\n%s", tt.logged, logged)
			}
		})
	}
}
