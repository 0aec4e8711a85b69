package tinymodel

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStem(t *testing.T) {
	t.Parallel()
	for _, family := range [][]string{
		{"index", "indexs", "indexed", "indexing"},
		{"migrate", "migrates", "migrated", "migrating", "migration", "migrations"},
		{"retry", "retries", "retried"},
		{"stop", "stops", "stopped", "stopping"},
		{"cache", "caches", "cached", "caching"},
		{"connect", "connects", "connection", "connections"},
		{"call", "calls", "called", "calling"},
		{"class", "classes"},
	} {
		for _, word := range family {
			if got, want := stem(word), stem(family[0]); got != want {
				t.Errorf("stem(%q) = %q, want %q, the one of %q", word, got, want, family[0])
			}
		}
	}
	for _, word := range []string{"status", "analysis", "string", "bed", "access", "station", "go", "é"} {
		if got := stem(word); got != word {
			t.Errorf("stem(%q) = %q, want the word itself", word, got)
		}
	}
}

func TestGeneral_Weights(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]float64{"nowhereseen": math.Log(1001), "the": 0, "polices": math.Log(1001.0 / 3)} {
		if got := general().inverseFrequency(stem(word)); math.Abs(got-want) > 0.01 {
			t.Errorf("weight of %q: got %.3f, want %.3f", word, got, want)
		}
	}
}

func TestWordPieces(t *testing.T) {
	t.Parallel()
	byText := map[string]piece{}
	for _, p := range wordPieces(general()) {
		if _, ok := byText[p.text]; ok {
			t.Errorf("token %q twice", p.text)
		}
		byText[p.text] = p
	}
	for c := '!'; c <= '~'; c++ {
		for _, text := range []string{string(c), wordStart + string(c)} {
			if _, ok := byText[text]; !ok && !('A' <= c && c <= 'Z') {
				t.Errorf("no token %q", text)
			}
		}
	}
	for _, text := range []string{"ж", "日", "ß", "é", "😀", "\u2028"} {
		rest := text
		for rest != "" {
			n := len(rest)
			for n > 0 {
				if _, ok := byText[rest[:n]]; ok {
					break
				}
				n--
			}
			if n == 0 {
				t.Errorf("%q has no tokens", text)
				break
			}
			rest = rest[n:]
		}
	}
	if got, want := byText[wordStart+"migrating"].direction, byText[wordStart+"migrat"].direction; got != "" && got != want {
		t.Errorf("direction of migrating: got %q, want %q", got, want)
	}
	if common, rare := byText[wordStart+"the"].weight, byText[wordStart+"postmortem"].weight; common > 0.1 || rare < 5 {
		t.Errorf("weights: got %.2f for a stop word and %.2f for a rare one, want about 0 and 6", common, rare)
	}
}

// A token's vector has the same direction in every vocabulary.
func TestAppendVector_Direction(t *testing.T) {
	t.Parallel()
	light := appendVector(nil, piece{direction: "index", weight: 1})
	heavy := appendVector(nil, piece{direction: "index", weight: 7})
	other := appendVector(nil, piece{direction: "vector", weight: 7})
	if len(heavy) != Dimensions/blockNumbers*blockBytes {
		t.Fatalf("got %d bytes for a vector", len(heavy))
	}
	same, different := 0, 0
	for block := 0; block < len(heavy); block += blockBytes {
		signs := heavy[block+2 : block+blockBytes]
		if bytes.Equal(signs, light[block+2:block+blockBytes]) {
			same++
		}
		if !bytes.Equal(signs, other[block+2:block+blockBytes]) {
			different++
		}
		for _, b := range signs {
			if low, high := b&15, b>>4; (low != 7 && low != 9) || (high != 7 && high != 9) {
				t.Fatalf("byte %#x is not two signs", b)
			}
		}
	}
	if blocks := Dimensions / blockNumbers; same != blocks || different != blocks {
		t.Errorf("of %d blocks, %d are the same in another weight and %d differ in another direction; want all", blocks, same, different)
	}
}

func TestFloat16(t *testing.T) {
	t.Parallel()
	for f, want := range map[float32]uint16{0: 0, 1: 0x3C00, 0.5: 0x3800, 2: 0x4000, 65504: 0x7BFF, 1e-6: 0, 0.21875: 0x3300} {
		if got := float16(f); got != want {
			t.Errorf("float16(%v) = %#x, want %#x", f, got, want)
		}
	}
}

func TestAnswerTokens(t *testing.T) {
	t.Parallel()
	tokens := answerTokens()
	if got := strings.ReplaceAll(strings.Join(tokens, ""), wordStart, " "); got != ChatAnswer {
		t.Errorf("got %q, want %q", got, ChatAnswer)
	}
	slices.Sort(tokens)
	if unique := len(slices.Compact(slices.Clone(tokens))); unique != len(tokens) {
		t.Errorf("%d of %d tokens are different, want all", unique, len(tokens))
	}
	if len(tokens) >= chatDimensions {
		t.Errorf("%d tokens do not fit into %d dimensions", len(tokens), chatDimensions)
	}
	for _, token := range tokens {
		if strings.HasSuffix(ChatTemplate, token) || !utf8.ValidString(token) {
			t.Errorf("token %q must not end the template", token)
		}
	}
}
