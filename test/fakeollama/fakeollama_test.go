package fakeollama_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

func cosine(a, b []float32) float64 {
	var dot float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot
}

func TestVector_RanksByMeaning(t *testing.T) {
	t.Parallel()
	query := fakeollama.Vector("Represent this sentence for searching relevant passages: how are database pools exhausted", 1024)
	related := fakeollama.Vector("Database pool exhaustion\nThe pool was exhausted because connections were not returned.", 1024)
	unrelated := fakeollama.Vector("Naming of test files\nTests stand beside the code that they test.", 1024)

	got := map[string]bool{
		"related above unrelated by .2": cosine(query, related) > cosine(query, unrelated)+0.2,
		"related is near":               cosine(query, related) > 0.5,
		"unrelated is far":              cosine(query, unrelated) < 0.4,
	}
	want := map[string]bool{"related above unrelated by .2": true, "related is near": true, "unrelated is far": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("related %.3f, unrelated %.3f (-want +got):\n%s", cosine(query, related), cosine(query, unrelated), diff)
	}
}

func TestVector_IsUnitAndDeterministic(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "one line", "a title\nand a text"} {
		first, second := fakeollama.Vector(text, 512), fakeollama.Vector(text, 512)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("vector of %q differs from call to call:\n%s", text, diff)
		}
		if square := cosine(first, first); math.Abs(square-1) > 1e-5 {
			t.Errorf("vector of %q has squared length %v, want 1", text, square)
		}
	}
}
