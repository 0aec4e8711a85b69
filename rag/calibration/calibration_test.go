package calibration_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/compound-docs/compound-docs/rag/calibration"
)

// Three pairs in the plane, by hand: own cosines .6, .8 and 0, the others .6, -.6, .8, .8,
// .96 and .96.
func TestMeasure_IsWhatTheFormulaSays(t *testing.T) {
	t.Parallel()
	questions := [][]float32{{1, 0}, {0, 1}, {.8, .6}}
	answers := [][]float32{{.6, .8}, {.6, .8}, {-.6, .8}}
	want := calibration.Calibration{
		Matched:   (.6 + .8 + 0) / 3,
		Unmatched: (.6 + -.6 + .8 + .8 + .96 + .96) / 6,
		OwnFirst:  0, // a draw is no win
	}
	variance := func(mean float64, values ...float64) (v float64) {
		for _, x := range values {
			v += (x - mean) * (x - mean) / float64(len(values)-1)
		}
		return v
	}
	want.Variance = (variance(want.Matched, .6, .8, 0) + variance(want.Unmatched, .6, -.6, .8, .8, .96, .96)) / 2
	if diff := cmp.Diff(want, calibration.Measure(questions, answers), cmpopts.EquateApprox(0, 1e-7)); diff != "" {
		t.Errorf("calibration (-want +got):\n%s", diff)
	}
}

func TestCalibration_LogOdds(t *testing.T) {
	t.Parallel()
	c := calibration.Calibration{Matched: .55, Unmatched: .06, Variance: .0163, OwnFirst: .97}
	for cosine, want := range map[float64]float64{.305: 0, .55: 7.365, .06: -7.365, .405: 3.006} {
		if got := c.LogOdds(cosine); math.Abs(got-want) > .001 {
			t.Errorf("log-odds of a cosine of %v are %.3f, want %.3f", cosine, got, want)
		}
	}
}

func TestCalibration_Usable(t *testing.T) {
	t.Parallel()
	good := calibration.Calibration{Matched: .5, Unmatched: .1, Variance: .01, OwnFirst: 40.0 / 60}
	for name, test := range map[string]struct {
		change func(*calibration.Calibration)
		want   bool
	}{
		"two thirds first": {func(*calibration.Calibration) {}, true},
		"fewer":            {func(c *calibration.Calibration) { c.OwnFirst = 39.0 / 60 }, false},
		"one vector":       {func(c *calibration.Calibration) { c.Variance = 0 }, false},
		"upside down":      {func(c *calibration.Calibration) { c.Matched = 0 }, false},
		"not measured":     {func(c *calibration.Calibration) { *c = calibration.Calibration{} }, false},
	} {
		c := good
		test.change(&c)
		if got := c.Usable(); got != test.want {
			t.Errorf("%s: usable is %t, want %t", name, got, test.want)
		}
	}
}
