package stdio_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestBatch_DependsOnTheProtocolVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version string
		allowed bool
	}{
		{"", false}, {"2024-11-05", true}, {"2025-03-26", true}, {"2025-06-18", false}, {"2025-11-25", false}, {"2026-07-28", false},
	} {
		t.Run("version "+test.version, func(t *testing.T) {
			t.Parallel()
			c := connect(t)
			c.initialize(t, test.version)
			c.send(t, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
			if !test.allowed {
				wantRefusal(t, c.line(t), "null", jsonrpc.CodeInvalidRequest, "no batches after 2025-03-26")
				return
			}
			c.read(t)
			if got, want := c.answer(t, 1, `{}`), `[{"jsonrpc":"2.0","id":1,"result":{}}]`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestBatch_RefusesOneWithoutMessagesOrWithTooMany(t *testing.T) {
	t.Parallel()
	for batch, message := range map[string]string{
		"[]":                                    "the batch is empty",
		"[" + strings.Repeat("0,", 1000) + "0]": "more than 1000 messages",
	} {
		c := connect(t)
		c.initialize(t, "2025-03-26")
		c.send(t, batch)
		wantRefusal(t, c.line(t), "null", jsonrpc.CodeInvalidRequest, message)
	}
}

// The answers of a batch are one array: those to its calls, and an error for each
// malformed message. Notifications have none.
func TestBatch_AnswersInOneArray(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.initialize(t, "2025-03-26")
	c.send(t, `[{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","id":"x"},`+
		`{"jsonrpc":"2.0","id":1,"method":"the same ID"},{"jsonrpc":"2.0","id":2,"method":"c"}]`)
	for _, want := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","method":"b"}`, `{"jsonrpc":"2.0","id":2,"method":"c"}`,
	} {
		if got := c.read(t); got != want {
			t.Errorf("delivered %s, want %s", got, want)
		}
	}
	if err := c.conn.Write(t.Context(), response(t, 2, `{}`)); err != nil {
		t.Fatal(err)
	}
	var answers []struct {
		ID    any `json:"id"`
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if line := c.answer(t, 1, `{}`); json.Unmarshal([]byte(line), &answers) != nil {
		t.Fatalf("%s is no array of answers", line)
	}
	got := map[any]int{}
	for _, answer := range answers {
		got[answer.ID] += answer.Error.Code
	}
	want := map[any]int{1.0: 0, 2.0: 0, "x": jsonrpc.CodeInvalidRequest, nil: 2 * jsonrpc.CodeInvalidRequest}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || len(answers) != 5 {
		t.Errorf("%d answers, codes by ID (-want +got):\n%s", len(answers), diff)
	}
}

func TestBatch_OfNotificationsHasNoAnswer(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.initialize(t, "2025-03-26")
	c.send(t, `[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]`)
	c.read(t)
	c.read(t)
	c.send(t, `7`)
	wantRefusal(t, c.line(t), "null", jsonrpc.CodeInvalidRequest, "not an object")
}

func TestBatch_OfMalformedMessagesIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	c := connect(t)
	c.initialize(t, "2025-03-26")
	c.send(t, `[1,2]`)
	if got := c.line(t); strings.Count(got, `"id":null`) != 2 || got[0] != '[' {
		t.Errorf("got %s, want an array of two errors", got)
	}
}
