package ollama

import (
	"errors"
	"strings"
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
		{"nothing, from a server that hangs", fakeollama.Faults{Delay: time.Hour}, half, "no answer within 30s", "", 1},
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

// A model that wrote a moment ago is loaded, and gets no time for loading.
func TestGenerate_WaitsLongerForAModelThatMayHaveToBeLoaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := startInMemory(t)
		hangs := fakeollama.Faults{Delay: time.Hour, Paths: []string{"/api/chat"}}
		for _, test := range []struct{ pause, want time.Duration }{
			{time.Minute, 30 * time.Second}, {time.Hour, 2 * time.Minute},
		} {
			server.SetFaults(fakeollama.Faults{})
			if _, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(test.pause)
			server.SetFaults(hangs)
			began := time.Now()
			if _, err := client.Generate(t.Context(), model.Prompt{User: "hello"}, nil); err == nil || time.Since(began) != test.want {
				t.Errorf("%s after an answer: %v after %s, want an error after %s", test.pause, err, time.Since(began), test.want)
			}
		}
	})
}
