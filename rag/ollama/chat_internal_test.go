package ollama

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// Text before an interruption is not lost.
func TestGenerate_ReturnsAnAnswerThatIsCutShort(t *testing.T) {
	t.Parallel()
	half := []string{" Half an answer", " and the rest"}
	tests := []struct {
		name   string
		faults fakeollama.Faults
		answer []string
		reason string
		text   string // "" before the answer begins
		made   int
	}{
		{"the model falls silent", fakeollama.Faults{Stall: true}, half, "no answer within 1m0s", "Half an answer", 1},
		{"the host hangs up", fakeollama.Faults{HangUp: true}, half, "the connection broke", "Half an answer", 1},
		{"nothing but white space", fakeollama.Faults{HangUp: true}, []string{"\n"}, "the connection broke", "", 1},
		{
			"nothing at all",
			fakeollama.Faults{Delay: time.Hour, Paths: []string{"/api/chat"}},
			half, "no answer within 2m0s", "", 1,
		},
		{"nothing, from a server that hangs", fakeollama.Faults{Delay: time.Hour}, half, "no answer within 5s", "", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, client := startInMemory(t)
				server.SetFaults(test.faults)
				server.SetAnswer(func(string, string) []string { return test.answer })

				got, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil)
				if diff := cmp.Diff(test.text, got); diff != "" {
					t.Errorf("text (-want +got):\n%s", diff)
				}
				if _, ok := errors.AsType[*model.UnavailableError](err); !ok || !strings.Contains(err.Error(), test.reason) {
					t.Errorf("got error %v, want an *model.UnavailableError that says %q", err, test.reason)
				}
				if _, ok := errors.AsType[*model.CutShortError](err); ok != (test.text != "") {
					t.Errorf("got error %v, want a *model.CutShortError: %t", err, test.text != "")
				}
				if begun := test.text != ""; begun && !strings.Contains(err.Error(), "the answer was cut short: ") {
					t.Errorf("%q does not say that the answer was cut short", err)
				}
				if chats := len(server.Requests("/api/chat")); chats != test.made {
					t.Errorf("got %d requests, want %d", chats, test.made)
				}
			})
		})
	}
}

// A call with a deadline waits ten seconds for the first piece, and a person for as long as a
// model may take to load. The model goes on loading for the next answer.
func TestGenerate_LetsTheModelLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startInMemory(t)
		var loaded atomic.Int32
		server.SetAnswer(func(string, string) []string { loaded.Add(1); return []string{"an answer"} })
		limited, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for _, test := range []struct {
			ctx         func() context.Context
			loads, want time.Duration
			says        string
		}{
			{func() context.Context { return limited }, time.Minute, 10 * time.Second, "no answer within 10s"},
			{t.Context, time.Minute, time.Minute, ""},
			{t.Context, time.Hour, 2 * time.Minute, "no answer within 2m0s"},
		} {
			server.SetFaults(fakeollama.Faults{Delay: test.loads, Paths: []string{"/api/chat"}, Times: 1})
			began := time.Now()
			_, err := client.Generate(test.ctx(), model.Prompt{User: "hello"}, nil)
			if took := time.Since(began); took != test.want || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("a model that loads for %s: %v after %s, want %q after %s", test.loads, err, took, test.says, test.want)
			}
			time.Sleep(test.loads)
			if wantLoaded := test.loads < time.Hour; (loaded.Swap(0) == 1) != wantLoaded {
				t.Errorf("a model that loads for %s was loaded: %t, want %t", test.loads, !wantLoaded, wantLoaded)
			}
		}
	})
}
