// Package wordvec turns a text into 256 numbers, so that texts about the same have a cosine near 1. It needs no
// server: a table in the program has the numbers of each word piece. docs/evaluation.md says how the table was
// made. The package knows no index and no search.
package wordvec

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
)

// Dimensions is how many numbers a vector has.
const Dimensions = 256

// vectorRows has a row of Dimensions signed bytes for each piece.
//
//go:embed vectors.i8
var vectorRows string

// scales has a little-endian 32-bit float for each piece. The piece's numbers are its row times its scale.
//
//go:embed scales.f32
var scales []byte

// vocabulary has a piece on each line, in the order of the rows. "##" begins a piece that continues a word.
//
//go:embed vocab.txt
var vocabulary string

// pieces are the numbers of the pieces by their letters.
type pieces struct {
	first, later map[string]int32
	longest      int // in bytes
}

// table is read at the first use: a command that searches nothing does not need it.
var table = sync.OnceValue(func() pieces {
	p := pieces{first: make(map[string]int32, 25_000), later: make(map[string]int32, 6_000)}
	var number int32
	for line := range strings.Lines(vocabulary) {
		piece := strings.TrimSuffix(line, "\n")
		if later, ok := strings.CutPrefix(piece, "##"); ok && later != "" {
			p.later[later] = number
		} else {
			p.first[piece] = number
		}
		p.longest = max(p.longest, len(piece))
		number++
	}
	return p
})

// Vector returns the vector of a text, of length 1. It is nil for a text without a piece.
func Vector(text string) []float32 {
	found := cut(text)
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	vector := make([]float32, Dimensions)
	for len(found) > 0 {
		piece, times := found[0], 1
		for times < len(found) && found[times] == piece {
			times++
		}
		found = found[times:]
		addPiece(vector, piece, 1+math.Log(float64(times)))
	}
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return nil
	}
	factor := float32(1 / math.Sqrt(square))
	for i := range vector {
		vector[i] *= factor
	}
	return vector
}

// addPiece adds the numbers of a piece, as often as it counts.
func addPiece(vector []float32, piece int32, times float64) {
	factor := float32(scale(piece)) * float32(times)
	row := vectorRows[int(piece)*Dimensions:][:len(vector)]
	for i := range vector {
		vector[i] += factor * float32(int8(row[i]))
	}
}

// scale is the scale of a piece's row.
func scale(piece int32) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(scales[4*piece:])))
}
