package fakeollama

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const defaultDimensions = 1024

func (s *Server) embed(w http.ResponseWriter, r *http.Request, request recorded) {
	faults := request.faults
	if !s.compute(r.Context(), time.Duration(len(request.Texts))*faults.EmbedTime) {
		return
	}
	dimensions := cmp.Or(faults.Dimensions, defaultDimensions)
	vectors := make([][]float32, 0, len(request.Texts))
	for _, text := range request.Texts {
		switch {
		case faults.tooLong(text):
			faults.replyTooLong(w)
			return
		case containsAny(text, faults.Reject):
			replyError(w, http.StatusBadRequest, "this text is rejected")
			return
		case containsAny(text, faults.NaN):
			replyError(w, http.StatusInternalServerError, "failed to encode response: json: unsupported value: NaN")
			return
		case text == "":
			continue // as Ollama does
		}
		vector := faults.vector(text, dimensions)
		if wanted := request.Dimensions; wanted > 0 && wanted < dimensions {
			vector = Shortened(vector, wanted)
		}
		vectors = append(vectors, vector)
	}
	vectors = vectors[:max(0, len(vectors)-faults.Missing)]
	reply(w, http.StatusOK, map[string]any{"model": request.Model, "embeddings": vectors})
}

func (f *Faults) vector(text string, dimensions int) []float32 {
	if f.Meaningless {
		text = strconv.FormatUint(hashOf(text), 16)
	}
	return Vector(text, dimensions)
}

func hashOf(text string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text)) // never fails
	return hash.Sum64()
}

// compute takes its turn and then the time. It reports false if the client left or
// the server was closed.
func (s *Server) compute(ctx context.Context, takes time.Duration) bool {
	if takes == 0 {
		return true
	}
	select {
	case s.computing <- struct{}{}:
		defer func() { <-s.computing }()
	case <-ctx.Done():
		return false
	case <-s.closed:
		return false
	}
	return wait(ctx, s, time.After(takes))
}

const (
	// queryPrefix is what mxbai-embed-large wants before a query; a model that
	// was trained with it makes nothing of its words.
	queryPrefix = "Represent this sentence for searching relevant passages:"
	// titleWeight is how much more the words of the first of several lines
	// count: a passage begins with its title.
	titleWeight = 3
	// stopWeight is how much a word counts that says nothing.
	stopWeight = 0.1
	// common is the share of the vector that all texts have in common, so that
	// unrelated texts have about this cosine similarity, as with real models.
	common = 0.25
)

// Vector is the embedding of a text: a bag of words, each with a direction of
// its own made from its hash. It has length 1. Texts that share words point
// the same way, in particular with words of the first line.
func Vector(text string, dimensions int) []float32 {
	text = strings.TrimSpace(strings.TrimPrefix(text, queryPrefix))
	bag := make([]float64, dimensions)
	line, rest, several := strings.Cut(text, "\n")
	if several {
		addWords(bag, line, titleWeight)
		addWords(bag, rest, 1)
	} else {
		addWords(bag, line, 1)
	}
	scale := math.Sqrt(1-common) / length(bag)
	for i := range bag {
		bag[i] *= scale
	}
	addWord(bag, "\x00 every text", math.Sqrt(common)/math.Sqrt(float64(dimensions)))
	vector, whole := make([]float32, dimensions), length(bag)
	for i := range bag {
		vector[i] = float32(bag[i] / whole)
	}
	return vector
}

// Shortened returns the first components of a vector, scaled to length 1.
func Shortened(vector []float32, dimensions int) []float32 {
	wide := make([]float64, dimensions)
	for i := range wide {
		wide[i] = float64(vector[i])
	}
	short, whole := make([]float32, dimensions), length(wide)
	for i := range wide {
		short[i] = float32(wide[i] / whole)
	}
	return short
}

// length of a vector, 1 if it is zero.
func length(vector []float64) float64 {
	var square float64
	for _, x := range vector {
		square += x * x
	}
	if square == 0 {
		return 1
	}
	return math.Sqrt(square)
}

func addWords(bag []float64, text string, weight float64) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for _, word := range words {
		if stopWords[word] {
			addWord(bag, word, weight*stopWeight)
		} else {
			addWord(bag, stem(word), weight)
		}
	}
}

// stem takes off the endings that tell forms of a word apart most often.
func stem(word string) string {
	const shortest = 3
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if stemmed, ok := strings.CutSuffix(word, ending); ok && len(stemmed) >= shortest {
			return stemmed
		}
	}
	return word
}

// addWord adds the word's direction: a sign for each dimension.
func addWord(bag []float64, word string, weight float64) {
	state, weightBits := hashOf(word), math.Float64bits(weight)
	var bits uint64
	for i := range bag {
		if i%64 == 0 {
			bits = splitMix(&state)
		}
		// Without a branch, which would be mispredicted half of the time.
		bag[i] += math.Float64frombits(weightBits ^ bits<<63)
		bits >>= 1
	}
}

// splitMix is the SplitMix64 generator (Steele, Lea, Flood 2014).
func splitMix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

var stopWords = func() map[string]bool { //nolint:gochecknoglobals // a table
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`a an and are as at be but by can did do does for from had has have how i if in
		into is it its no not of on or our so than that the their then there these they this to was we were what when
		where which who why will with you your`) {
		words[word] = true
	}
	return words
}()
