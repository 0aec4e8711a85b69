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

// What was written before an answer broke off is not lost.
func TestGenerate_ReturnsAnAnswerThatIsCutShort(t *testing.T) {
	t.Parallel()
	half := []string{" Half an answer", " and the rest"}
	tests := []struct {
		name   string
		faults fakeollama.Faults
		answer []string
		reason string
		text   string // "" if the answer has not begun
		made   int
	}{
		{"the model falls silent", fakeollama.Faults{Stall: true}, half, "no answer within 15s", "Half an answer", 1},
		{"the host hangs up", fakeollama.Faults{HangUp: true}, half, "the connection broke", "Half an answer", 1},
		{"nothing but white space", fakeollama.Faults{HangUp: true}, []string{"\n"}, "the connection broke", "", 1},
		{
			"nothing at all", fakeollama.Faults{Delay: time.Hour, Paths: []string{"/api/chat"}},
			half, "no answer within 30s", "", 1,
		},
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
