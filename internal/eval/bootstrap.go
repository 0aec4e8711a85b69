package eval

import (
	"math/rand/v2"
	"slices"
)

// Estimate is a mean or median over queries with its confidence interval.
type Estimate struct {
	Value float64 `json:"value"`
	// Low and High are the ends of the 95 % confidence interval.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	resamples  = 2000
	confidence = 0.95
	seed       = 20_250_101
)

// Bootstrap returns the mean of the values, one for each query, with the percentile
// interval of 2,000 samples drawn with replacement (Efron, 1979). The seed is
// fixed: the same values in the same order give the same interval. To compare two
// runs, pass the difference for each query.
func Bootstrap(values []float64) Estimate { return bootstrap(values, mean) }

// BootstrapMedian is [Bootstrap] for the median. It suits latencies: a few slow
// queries do not change the median.
func BootstrapMedian(values []float64) Estimate { return bootstrap(values, median) }

// bootstrap does not change values; statistic may sort what it gets.
func bootstrap(values []float64, statistic func([]float64) float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // samples must be repeatable, and guard no secret
	statistics := make([]float64, resamples)
	sample := make([]float64, len(values))
	for i := range statistics {
		for j := range sample {
			sample[j] = values[random.IntN(len(values))]
		}
		statistics[i] = statistic(sample)
	}
	slices.Sort(statistics)
	outside := int((1 - confidence) / 2 * resamples)
	return Estimate{
		Value: statistic(slices.Clone(values)),
		Low:   statistics[outside],
		High:  statistics[resamples-1-outside],
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}

func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
