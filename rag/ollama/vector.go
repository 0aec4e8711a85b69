package ollama

import (
	"fmt"
	"math"
)

// unitTolerance is how far from 1 the squared length of a vector may be: what
// float32 rounding of 1,024 components adds up to stays well below it.
const unitTolerance = 1e-3

// normalize returns the vector with length 1: itself, changed in place if it
// has to be. A vector without a direction is an ErrBadResponse.
func normalize(vector []float32) ([]float32, error) {
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return nil, fmt.Errorf("%w: a vector without a direction", ErrBadResponse)
	}
	if math.Abs(square-1) > unitTolerance {
		scale := 1 / math.Sqrt(square)
		for i, x := range vector {
			vector[i] = float32(float64(x) * scale)
		}
	}
	return vector, nil
}
