package main

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/rag/calibration"
	"github.com/compound-docs/compound-docs/rag/model"
)

// dimensions of every vector, those of mxbai-embed-large.
const dimensions = 1024

// space makes vectors that lie as embeddings of documents do. Embeddings have
// 1,024 numbers but an intrinsic dimension of a few dozen, gather in clusters of
// one subject, and have a direction in common, so that unrelated texts have a
// cosine similarity of about 0.4 rather than 0. So a vector here is
//
//	normalize(common + basis · (centre of its cluster + spread) + noise)
//
// with a random basis of 32 dimensions, and noise in all 1,024 of a tenth of the
// vector's square. That is easier for a graph than clusters with noise in full
// dimension, which no text model makes, and harder than it would be without
// noise. The same seed makes the same vectors.
type space struct {
	common  []float32
	basis   [][]float32 // intrinsic rows of dimensions
	centres [][]float32 // of the clusters, intrinsic numbers each
}

const (
	intrinsic = 32
	// clusters is how many subjects there are. Documents are of the first ones alone.
	clusters, subjects = 400, 20
	// Shares of the square of a vector's length.
	commonShare, noiseShare = 0.4, 0.1
	// spread is the deviation inside a cluster, that between centres being 1.
	spread = 0.5
	// querySpread is how far a query is from the document that it is about.
	querySpread = 0.25
)

func newRandom(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }

func newSpace(seed uint64) *space {
	random := newRandom(seed, 1)
	s := &space{common: gaussian(random, dimensions)}
	scale(s.common, math.Sqrt(commonShare)/norm(s.common))
	for range intrinsic {
		s.basis = append(s.basis, gaussian(random, dimensions))
	}
	for range clusters {
		s.centres = append(s.centres, gaussian(random, intrinsic))
	}
	return s
}

// near returns a place in the intrinsic dimensions that deviates from another.
func near(random *rand.Rand, place []float32, deviation float64) []float32 {
	p := make([]float32, intrinsic)
	for i := range p {
		p[i] = place[i] + float32(random.NormFloat64()*deviation)
	}
	return p
}

// vector of a place; two of the same place differ by their noise.
func (s *space) vector(random *rand.Rand, place []float32) []float32 {
	v := make([]float32, dimensions)
	for i, row := range s.basis {
		for j, x := range row {
			v[j] += x * place[i]
		}
	}
	scale(v, math.Sqrt(1-commonShare-noiseShare)/norm(v))
	deviation := math.Sqrt(noiseShare / dimensions)
	for j := range v {
		v[j] += s.common[j] + float32(random.NormFloat64()*deviation)
	}
	scale(v, 1/norm(v))
	return v
}

// ofText is a vector that depends on the text alone. Passages of one document are near each
// other: the word that only this document has chooses their place.
func (s *space) ofText(text string) []float32 {
	return s.vector(newRandom(hash(text), 3), s.placeOf(text))
}

// aboutText is a vector of a query about the text.
func (s *space) aboutText(random *rand.Rand, text string) []float32 {
	return s.vector(random, near(random, s.placeOf(text), querySpread))
}

// strange is a vector of a query about a subject that no document need have.
func (s *space) strange(random *rand.Rand) []float32 {
	return s.vector(random, near(random, s.centres[random.IntN(clusters)], spread))
}

func (s *space) placeOf(text string) []float32 {
	random := newRandom(hash(cmp.Or(ownWords.FindString(text), text)), 2)
	return near(random, s.centres[random.IntN(subjects)], spread)
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

func gaussian(random *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

func norm(v []float32) float64 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Sqrt(square)
}

func scale(v []float32, by float64) {
	for i := range v {
		v[i] *= float32(by)
	}
}

// embedder makes vectors in this process, for what is measured without Ollama:
// a vector takes some 50 µs, and crosses no HTTP.
type embedder struct {
	space *space
	// queries have their vectors here; others, like documents, have one of their
	// text.
	queries map[string][]float32
	// delay, if not nil, embeds queries too: they take as long as there.
	delay *model.Client
}

func newEmbedder() *embedder {
	return &embedder{space: newSpace(3), queries: map[string][]float32{}}
}

func (e *embedder) Embed(_ context.Context, texts []string) ([]model.Embedding, error) {
	embeddings := make([]model.Embedding, len(texts))
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	for i, text := range texts {
		group.Go(func() error {
			embeddings[i] = embedding(e.space.ofText(text))
			return nil
		})
	}
	return embeddings, group.Wait()
}

// EmbedAsQueries knows the questions that a model is measured with: each is about its
// answer.
func (e *embedder) EmbedAsQueries(_ context.Context, texts []string) ([]model.Embedding, error) {
	questions, answers := calibration.Pairs()
	embeddings := make([]model.Embedding, len(texts))
	for i, text := range texts {
		embeddings[i] = embedding(e.space.aboutText(newRandom(hash(text), 4), answers[slices.Index(questions, text)]))
	}
	return embeddings, nil
}

func (*embedder) Warm(context.Context) error { return nil }

func (e *embedder) EmbedQuery(ctx context.Context, query string) (model.Embedding, error) {
	if e.delay != nil {
		if _, err := e.delay.EmbedQuery(ctx, query); err != nil {
			return model.Embedding{}, err
		}
	}
	if vector, ok := e.queries[query]; ok {
		return embedding(vector), nil
	}
	return embedding(e.space.ofText(query)), nil
}

const modelName = "bench"

func embedding(vector []float32) model.Embedding {
	return model.Embedding{Vector: vector, Digest: modelName}
}

func (*embedder) EmbedModel(context.Context) (model.Model, error) {
	return model.Model{Name: modelName, Digest: modelName, Dimensions: dimensions, PromptVersion: 1}, nil
}
