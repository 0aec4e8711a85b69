package eval

import (
	"math/rand/v2"
	"slices"
)

// Estimate is a mean over queries with its interval of confidence.
type Estimate struct {
	Mean float64 `json:"mean"`
	// Low and High bound the mean in 95 % of the samples.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	resamples  = 2000
	confidence = 0.95
	seed       = 20_250_101
)

// Bootstrap returns the mean of the values, one a query, and the percentile
// interval of 2,000 samples drawn with replacement (Efron, 1979). The seed is
// fixed: equal values in equal order give equal intervals. For the difference of
// two runs, hand in the differences query by query.
func Bootstrap(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // samples must be repeatable, and guard no secret
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[random.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	outside := int((1 - confidence) / 2 * resamples)
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return Estimate{
		Mean: sum / float64(len(values)),
		Low:  means[outside],
		High: means[resamples-1-outside],
	}
}
