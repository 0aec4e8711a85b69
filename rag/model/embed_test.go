package model_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/rag/model"
)

// Each text has its own vector, and an empty one an error, without a request of its own.
func TestEmbed_GivesEachTextItsVector(t *testing.T) {
	t.Parallel()
	server := &fake{digest: "aaaa"}
	got, err := newClient(server).Embed(t.Context(), []string{"", "one", " \n\t", "two"})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"", "one", "", "two"} {
		switch {
		case text == "" && (!errors.Is(got[i].Err, model.ErrUnusableText) || got[i].Vector != nil):
			t.Errorf("embedding %d: %v, want ErrUnusableText alone", i, got[i].Err)
		case text != "" && (got[i].Err != nil || got[i].Digest != "aaaa" || !slices.Equal(got[i].Vector, vector(text))):
			t.Errorf("embedding %d is not that of %q by aaaa: %v", i, text, got[i].Err)
		}
	}
	if diff := cmp.Diff([][]string{{"one", "two"}}, server.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	got, err = newClient(&fake{Server: nil}).Embed(t.Context(), nil)
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("got %v, %v of no texts, want an empty slice", got, err)
	}
}

// A request with a bad text is halved until the bad text is alone. A server that fails in the meantime fails
// the call.
func TestEmbed_FindsTheBadTexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, broken := &fake{}, false
		server.embed = func(_ context.Context, request model.EmbedRequest) ([][]float32, error) {
			switch {
			case slices.ContainsFunc(request.Texts, func(text string) bool { return strings.HasPrefix(text, "long") }):
				return nil, model.ErrInputTooLong
			case slices.Contains(request.Texts, "bad"):
				return nil, fmt.Errorf("%w: it is rejected", model.ErrUnusableText)
			case broken:
				return nil, away()
			}
			return vectors(request.Texts), nil
		}
		client := newClient(server)
		texts := []string{"a", "b", "long", "c", "d", "bad", "e"}
		got, err := client.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []error{nil, nil, model.ErrInputTooLong, nil, nil, model.ErrUnusableText, nil} {
			if !errors.Is(got[i].Err, want) || want == nil && !slices.Equal(got[i].Vector, vector(texts[i])) {
				t.Errorf("text %q: %v, want %v", texts[i], got[i].Err, want)
			}
		}
		asked := 0
		for _, request := range server.requests {
			if slices.Equal(request, []string{"bad"}) {
				asked++
			}
		}
		if asked != 1 {
			t.Errorf("the bad text was asked alone %d times, want once: a refusal is not retried", asked)
		}
		broken = true
		if got, err := client.Embed(t.Context(), texts); err == nil || got != nil {
			t.Errorf("got %v, %v of a server that fails, want an error alone", got, err)
		}
	})
}

// A vector has the length 1 and the index's dimensions, or is an error.
func TestEmbed_MakesVectorsComparable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ made, want []float32 }{
		"unit":         {[]float32{0, 1}, []float32{0, 1}},
		"stretched":    {[]float32{3, 4}, []float32{.6, .8}},
		"zero":         {[]float32{0, 0}, nil},
		"not a number": {[]float32{float32(math.NaN()), 1}, nil},
	} {
		server := &fake{embed: func(context.Context, model.EmbedRequest) ([][]float32, error) {
			return [][]float32{slices.Clone(test.made)}, nil
		}}
		got, err := newClient(server).Embed(t.Context(), []string{"a text"})
		if err != nil {
			t.Fatal(err)
		}
		if test.want == nil {
			if !errors.Is(got[0].Err, model.ErrBadResponse) {
				t.Errorf("%s: got %v, want ErrBadResponse", name, got[0].Err)
			}
			continue
		}
		want := make([]float32, model.Dimensions)
		copy(want, test.want)
		if diff := cmp.Diff(want, got[0].Vector, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%s: vector (-want +got):\n%s", name, diff)
		}
	}
}

// Only a model that was trained for it is asked for shorter vectors. Longer ones than the index holds are an
// error that no retry helps.
func TestEmbed_RefusesAModelOfTooManyDimensions(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string]int{"unheard-of": 0, "qwen3-embedding": model.Dimensions} {
		server := &fake{}
		server.embed = func(_ context.Context, request model.EmbedRequest) ([][]float32, error) {
			if request.Dimensions != asked || request.Model != name {
				t.Errorf("%d dimensions of %s were asked for, want %d of %s", request.Dimensions, request.Model, asked, name)
			}
			return slices.Repeat([][]float32{make([]float32, 2560)}, len(request.Texts)), nil
		}
		client := withConfig(server, model.Config{EmbedModel: name})
		for call, err := range map[string]error{
			"passages": func() error { _, err := client.Embed(t.Context(), []string{"a", "b"}); return err }(),
			"query":    func() error { _, err := client.EmbedQuery(t.Context(), "a query"); return err }(),
			"warm":     client.Warm(t.Context()),
		} {
			if !errors.Is(err, model.ErrDimensions) || !strings.Contains(err.Error(), name+" makes vectors of 2560 dimensions, and the index holds up to 1024; set embedding_model") {
				t.Errorf("%s: got %v, want ErrDimensions with a remedy", call, err)
			}
		}
		if server.made() != 3 {
			t.Errorf("%d requests, want 3", server.made())
		}
	}
}

// Vectors that may be of two builds are given to nobody. A request for passages costs one look at the model.
func TestEmbed_SeesThatTheModelIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &fake{digest: "aaaa"}
		client := newClient(server)
		embed := func(want string) error {
			t.Helper()
			got, err := client.Embed(t.Context(), []string{"a text"})
			if err == nil && got[0].Digest != want {
				t.Errorf("the vector is of %s, want %s", got[0].Digest, want)
			}
			return err
		}
		if err := embed("aaaa"); err != nil || server.digests != 2 { // the build before, and after
			t.Errorf("got %v after %d looks at the model, want 2", err, server.digests)
		}
		if err := embed("aaaa"); err != nil || server.digests != 3 {
			t.Errorf("got %v after %d looks at the model, want 3", err, server.digests)
		}
		server.change = func() { server.build("bbbb", nil) }
		if err := embed(""); !errors.Is(err, model.ErrModelReplaced) {
			t.Errorf("got %v during the change, want ErrModelReplaced", err)
		}
		if err := embed("bbbb"); err != nil { // known at once
			t.Error(err)
		}
		server.change = func() { server.build("", away()) }
		wantUnavailable(t, embed(""), "the connection broke")
	})
}
