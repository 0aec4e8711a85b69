package openai

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"strings"

	"github.com/compound-docs/compound-docs/rag/model"
)

// fingerprintTexts are embedded to recognise a model. Every change of them makes each model another one.
var fingerprintTexts = []string{ //nolint:gochecknoglobals // a constant
	"The connection pool was exhausted after the deploy.",
	"func main() { return nil }",
	"Wie heißt der Fluss durch Berlin?",
}

// Digest recognises the model by the vectors of three texts, since the API names no build. Vectors
// of one text differ a little between calls and machines. So a digest holds them roughly, and Digest
// returns the first known one that is near. The last request of Embed may have told it already.
func (s *server) Digest(ctx context.Context, name string) (string, error) {
	s.mu.Lock()
	digest, fresh := s.digest, s.fresh
	s.fresh = false
	s.mu.Unlock()
	if fresh {
		return digest, nil
	}
	vectors, _, err := s.embed(ctx, model.EmbedRequest{Model: name, Texts: fingerprintTexts})
	if err != nil {
		return "", err
	}
	if len(vectors) != len(fingerprintTexts) {
		return "", model.BadResponse(fmt.Sprintf("%d vectors for %d texts", len(vectors), len(fingerprintTexts)))
	}
	return s.recognise(ctx, name, vectors), nil
}

// recognise returns the digest of the model that made the vectors of fingerprintTexts.
func (s *server) recognise(ctx context.Context, name string, vectors [][]float32) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	digest := fingerprint(vectors)
	if near(s.digest, digest) {
		return s.digest
	}
	known, err := s.known(ctx, name)
	if err != nil {
		return digest // without the database nothing is kept under it
	}
	for _, other := range known {
		if near(other, digest) {
			digest = other
			break
		}
	}
	s.digest = digest
	return digest
}

// fingerprint writes the dimensions and the first components of each vector as text.
func fingerprint(vectors [][]float32) string {
	const kept = 32 // of each vector
	var numbers []float64
	largest := math.SmallestNonzeroFloat32
	for _, vector := range vectors {
		for _, x := range vector[:min(kept, len(vector))] {
			numbers = append(numbers, float64(x))
			largest = max(largest, math.Abs(float64(x)))
		}
	}
	bytes := make([]byte, len(numbers))
	for i, x := range numbers {
		bytes[i] = byte(int8(math.Round(x / largest * math.MaxInt8)))
	}
	return fmt.Sprintf("%d:%s", len(vectors[0]), base64.RawStdEncoding.EncodeToString(bytes))
}

// near reports whether two fingerprints are of one model: the cosine is that of vectors
// which a search cannot tell apart.
func near(a, b string) bool {
	const least = 0.995
	dimensionsA, textA, _ := strings.Cut(a, ":")
	dimensionsB, textB, _ := strings.Cut(b, ":")
	x, errX := base64.RawStdEncoding.DecodeString(textA)
	y, errY := base64.RawStdEncoding.DecodeString(textB)
	if dimensionsA != dimensionsB || errX != nil || errY != nil || len(x) != len(y) {
		return false
	}
	var xy, xx, yy float64
	for i := range x {
		p, q := float64(int8(x[i])), float64(int8(y[i]))
		xy, xx, yy = xy+p*q, xx+p*p, yy+q*q
	}
	return xy >= least*math.Sqrt(xx*yy)
}
