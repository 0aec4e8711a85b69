package ollama

import (
	"fmt"
	"math"
)

// unitTolerance is how far the squared length of a unit vector may be from 1. The
// rounding errors of 1,024 float32 components add up to much less.
const unitTolerance = 1e-3

// normalize scales the vector to length 1, in place, and adds zeros up to the index's
// dimensions, which change no cosine. The error is ErrBadResponse for a vector that is
// zero, infinite or not a number.
func (c *Client) normalize(vector []float32) ([]float32, error) {
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return nil, fmt.Errorf("%w: a vector is zero or not a number", ErrBadResponse)
	}
	if math.Abs(square-1) > unitTolerance {
		scale := 1 / math.Sqrt(square)
		for i, x := range vector {
			vector[i] = float32(float64(x) * scale)
		}
	}
	return append(vector, make([]float32, c.cfg.Dimensions-len(vector))...), nil
}
