package ollama_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/fakeollama"
)

const dimensions = 1024

// wantVectors checks that every text that is not "" has its own vector, and
// every other an error.
func wantVectors(t *testing.T, got []model.Embedding, texts ...string) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("got %d embeddings, want %d", len(got), len(texts))
	}
	for i, text := range texts {
		if text == "" {
			if got[i].Err == nil || got[i].Vector != nil {
				t.Errorf("embedding %d: got %d dimensions and error %v, want an error only", i, len(got[i].Vector), got[i].Err)
			}
			continue
		}
		if got[i].Err != nil {
			t.Errorf("embedding %d: %v", i, got[i].Err)
		}
		approx := cmpopts.EquateApprox(0, 1e-6)
		if diff := cmp.Diff(fakeollama.Vector(text, dimensions), got[i].Vector, approx); diff != "" {
			t.Errorf("embedding %d is not that of %q", i, text)
		}
	}
}

func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("text number %d", i)
	}
	return texts
}

func TestEmbed_IsOneRequest(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetContextLength(512)
	texts := numbered(70)

	got, err := client.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts...)
	requests := server.Requests("/api/embed")
	if len(requests) != 1 || requests[0].Truncate == nil || *requests[0].Truncate {
		t.Fatalf("got requests %+v, want one that does not truncate", requests)
	}
	if diff := cmp.Diff(map[string]any{"num_ctx": 2048.0}, requests[0].Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`"30m0s"`, string(requests[0].KeepAlive)); diff != "" {
		t.Errorf("keep_alive (-want +got):\n%s", diff)
	}
}

func TestEmbed_NothingAsksNothing(t *testing.T) {
	t.Parallel()
	server, client := start(t)

	got, err := client.Embed(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got == nil || len(got) != 0 || len(server.Requests("")) != 0 {
		t.Errorf("got %v after %d requests, want an empty slice after none", got, len(server.Requests("")))
	}
}

func TestEmbed_RefusesEmptyTextsLocally(t *testing.T) {
	t.Parallel()
	server, client := start(t)

	got, err := client.Embed(t.Context(), []string{"", "one", " \n\t", "two"})
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, "", "one", "", "two")
	wantContains(t, got[0].Err.Error(), "the text cannot be embedded: it is empty")
	if diff := cmp.Diff([]string{"one", "two"}, server.Texts()); diff != "" {
		t.Errorf("embedded texts (-want +got):\n%s", diff)
	}
}

func TestEmbed_IsolatesBadInputs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 20)
	isTooLong := func(err error) bool { return errors.Is(err, model.ErrInputTooLong) }
	says := func(problem string) func(error) bool {
		return func(err error) bool {
			return errors.Is(err, model.ErrUnusableText) && strings.HasSuffix(err.Error(), ": "+problem)
		}
	}
	tests := []struct {
		name   string
		faults fakeollama.Faults
		bad    string
		want   func(error) bool
	}{
		{"too long", fakeollama.Faults{Window: 10}, long, isTooLong},
		{
			"too long for 0.10",
			fakeollama.Faults{Window: 10, WindowMessage: "input length exceeds maximum context length"},
			long, isTooLong,
		},
		{
			"too long beyond truncation",
			fakeollama.Faults{Window: 10, WindowMessage: "input exceeds maximum context length and cannot be truncated further"},
			long, isTooLong,
		},
		{"rejected", fakeollama.Faults{Reject: []string{"bad"}}, "a bad text", says("this text is rejected")},
		{
			"not a number",
			fakeollama.Faults{NaN: []string{"bad"}},
			"a bad text", says("failed to encode response: json: unsupported value: NaN"),
		},
		{
			"zero vector",
			fakeollama.Faults{Zero: []string{"bad"}},
			"a bad text",
			func(err error) bool { return errors.Is(err, model.ErrBadResponse) },
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, client := start(t)
			server.SetFaults(test.faults)
			texts := numbered(7)
			texts[2], texts[5] = test.bad, test.bad+" again"

			got, err := client.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			want := numbered(7)
			want[2], want[5] = "", ""
			wantVectors(t, got, want...)
			for _, i := range []int{2, 5} {
				if !test.want(got[i].Err) {
					t.Errorf("embedding %d: got error %v (%T)", i, got[i].Err, got[i].Err)
				}
			}
			asked := map[string]int{}
			for _, request := range server.Requests("/api/embed") {
				if len(request.Texts) == 1 {
					asked[request.Texts[0]]++
				}
			}
			for text, times := range asked {
				if times > 1 {
					t.Errorf("%q was asked alone %d times, want once: a 400 is not retried", text, times)
				}
			}
		})
	}
}

func TestEmbed_NormalizesOnlyIfNeeded(t *testing.T) {
	t.Parallel()
	server, client := start(t)
	server.SetFaults(fakeollama.Faults{Scale: 7})

	got, err := client.Embed(t.Context(), []string{"stretched"})
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, "stretched")
	var square float64
	for _, x := range got[0].Vector {
		square += float64(x) * float64(x)
	}
	if math.Abs(square-1) > 1e-6 {
		t.Errorf("squared length %v, want 1", square)
	}
}
