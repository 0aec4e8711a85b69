// Package wordvec turns a text into a vector of 256 numbers. The vectors of texts on one subject have a cosine near 1.
// The package needs no model server, because the program contains a table with a vector for each word piece.
// docs/evaluation.md says how the table was made. The package must not know the index or the search.
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
var vectorRows []byte

// scales has a little-endian 32-bit float for each piece. The vector of a piece is its row times its scale.
//
//go:embed scales.f32
var scales []byte

// vocabulary has one piece per line, in the order of the rows. "##" begins a piece that continues a word.
//
//go:embed vocab.txt
var vocabulary string

// pieces has the number of each piece, by its letters. first has the pieces that begin a word, later has the others.
type pieces struct {
	first, later map[string]int32
	longest      int // in bytes
}

// table reads the vocabulary at the first use, because a command without a search does not need it.
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

// Rank returns how rare a word is in English. The number is the place of the word in the vocabulary, which begins with
// some 2,000 signs and then has the most frequent words first. Rank returns 0 for a word that is not one piece.
func Rank(word string) int { return int(table().first[strings.ToLower(word)]) }

// Vector returns the vector of a text, with length 1. It returns nil for a text without pieces.
func Vector(text string) []float32 {
	found := cut(text)
	slices.Sort(found)
	counted := make([]weighted, 0, len(found))
	all := 0.0
	for len(found) > 0 {
		times := 1
		for times < len(found) && found[times] == found[0] {
			times++
		}
		weight := scale(found[0]) * (1 + math.Log(float64(times)))
		counted, all = append(counted, weighted{found[0], weight}), all+weight
		found = found[times:]
	}
	if all == 0 {
		return nil
	}
	sums := add(counted, all)
	var square float64
	for _, x := range sums {
		square += x * x
	}
	if square == 0 {
		return nil
	}
	vector := make([]float32, Dimensions)
	length := math.Sqrt(square)
	for i, x := range sums {
		vector[i] = float32(x / length)
	}
	return vector
}

// weighted is a piece with the weight of its row.
type weighted struct {
	piece  int32
	weight float64
}

// add adds the rows of pieces, each multiplied by its share of all weights. For speed it adds two numbers at once, in
// the halves of a uint64. A half cannot overflow: the shares add up to at most 1<<24, and 255<<24 is less than 1<<32.
func add(pieces []weighted, all float64) (sums [Dimensions]float64) {
	const (
		signs  = 0x8080808080808080 // turns -128 to 127 into 0 to 255
		halves = 0x000000ff000000ff
		whole  = 1 << 24
	)
	var pairs [Dimensions / 2]uint64
	var shares uint64
	for _, p := range pieces {
		share := uint64(p.weight / all * whole)
		shares += share
		row := vectorRows[int(p.piece)*Dimensions:][:Dimensions]
		for i := 0; i < len(pairs); i += 4 {
			eight := binary.LittleEndian.Uint64(row[2*i:]) ^ signs
			pairs[i] += eight & halves * share
			pairs[i+1] += eight >> 8 & halves * share
			pairs[i+2] += eight >> 16 & halves * share
			pairs[i+3] += eight >> 24 & halves * share
		}
	}
	for i, pair := range pairs {
		at := i/4*8 + i%4
		sums[at] = float64(pair&math.MaxUint32) - 128*float64(shares)
		sums[at+4] = float64(pair>>32) - 128*float64(shares)
	}
	return sums
}

func scale(piece int32) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(scales[4*piece:])))
}
