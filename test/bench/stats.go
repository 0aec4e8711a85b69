package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// percentile returns the nearest-rank percentile p, in [0,100], of samples, which
// it sorts.
func percentile(samples []time.Duration, p float64) time.Duration {
	slices.Sort(samples)
	rank := int(math.Ceil(p / 100 * float64(len(samples))))
	return samples[min(max(rank-1, 0), len(samples)-1)]
}

func median(samples []time.Duration) time.Duration { return percentile(samples, 50) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// sides are two ways to do the same thing, timed in turns, so that whatever else
// the machine does meets both.
type sides struct {
	a, b []time.Duration
}

// timed does something and says how long that took; what it does to prepare and
// to clean up is not in it.
type timed func(ctx context.Context, round int) time.Duration

// whole times all that f does.
func whole(f func(ctx context.Context, round int)) timed {
	return func(ctx context.Context, round int) time.Duration {
		began := time.Now()
		f(ctx, round)
		return time.Since(began)
	}
}

// alternate does a and b in turns. Every other round begins with b. The first
// warmup rounds are not counted.
func alternate(ctx context.Context, warmup, rounds int, a, b timed) (s sides) {
	for round := range warmup + rounds {
		steps := []struct {
			do      timed
			samples *[]time.Duration
		}{{a, &s.a}, {b, &s.b}}
		if round%2 == 1 {
			slices.Reverse(steps)
		}
		for _, step := range steps {
			took := step.do(ctx, round)
			if round >= warmup {
				*step.samples = append(*step.samples, took)
			}
		}
	}
	return s
}

// compare returns the ratio of the medians of two ways to do the same thing, as
// alternate times them. The note starts with what the format says.
func compare(
	ctx context.Context, warmup, rounds int, a, b timed, format string, args ...any,
) (ratio float64, note string) {
	s := alternate(ctx, warmup, rounds, a, b)
	over, under := ms(median(s.a)), ms(median(s.b))
	return over / under, fmt.Sprintf(format, args...) +
		fmt.Sprintf("%s ms over %s ms, medians of %d", number(over), number(under), len(s.a))
}
