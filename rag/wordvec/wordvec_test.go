package wordvec_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/wordvec"
)

// testdata/check.json has vectors that the program computed that made the table.
func TestVector_IsThatOfTheTable(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/check.json")
	if err != nil {
		t.Fatal(err)
	}
	var check struct {
		Texts []struct {
			Text string    `json:"text"`
			Log  []float64 `json:"log"`
		} `json:"texts"`
	}
	if err := json.Unmarshal(content, &check); err != nil || len(check.Texts) == 0 {
		t.Fatalf("%d texts: %v", len(check.Texts), err)
	}
	for _, text := range check.Texts {
		vector := wordvec.Vector(text.Text)
		var got []float64
		for _, x := range vector[:min(len(vector), len(text.Log))] {
			got = append(got, float64(x))
		}
		if diff := cmp.Diff(text.Log, got, cmpopts.EquateApprox(0, .00006), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text.Text, diff)
		}
	}
}

func cosine(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestVector_NoPieceIsNoVector(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n\t", "\x00", strings.Repeat("a", 101)} {
		if got := wordvec.Vector(text); got != nil {
			t.Errorf("%q has a vector", text)
		}
	}
}

// The constants of the built-in vectors are what the shipped pairs say.
func TestCalibration_IsMeasured(t *testing.T) {
	t.Parallel()
	questions, answers := calibration.Pairs()
	want := calibration.Measure(vectors(questions), vectors(answers))
	if diff := cmp.Diff(want, calibration.BuiltIn(), cmpopts.EquateApprox(0, .0005)); diff != "" {
		t.Errorf("calibration (-want +got):\n%s", diff)
	}
}

func vectors(texts []string) (all [][]float32) {
	for _, text := range texts {
		all = append(all, wordvec.Vector(text))
	}
	return all
}

func FuzzVector(f *testing.F) {
	for _, seed := range []string{
		"naïve café — 100% broken: E_CONN_RESET", "数据库连接", "\xff\xfe", "a\u0301\u0301", "##", "[CLS] [unused1]",
		strings.Repeat("x", 200), strings.Repeat("pool ", 500),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		vector := wordvec.Vector(text)
		if vector == nil {
			return
		}
		if length := cosine(vector, vector); len(vector) != wordvec.Dimensions || math.Abs(length-1) > 1e-4 {
			t.Errorf("%d numbers of length %v", len(vector), length)
		}
	})
}
