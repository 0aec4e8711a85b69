package tinymodel

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"

	"github.com/ollama/ollama/fs/ggml"
)

// Properties of the embedding models that callers rely on.
const (
	Dimensions = 1024
	Window     = 512 // tokens
)

const (
	embedderHeads       = 16
	embedderFeedForward = 32
)

// WriteEmbedder writes an embedding model of the architecture bert, with 1,024 dimensions and a
// context of 512 tokens, in about 12 MB, always of the same bytes.
//
// A text's vector is the mean of its tokens' vectors. A token's vector has a random direction, and
// a length by its kind: a random projection of a bag of words. The rest of the network does
// nothing. Attention and feed-forward weights, positions and token types are zero. The layer norms,
// which the residual connections go through, keep lengths. They have a very large epsilon e and
// weights of √e, so they turn x into (x-mean)/√(variance+e)·√e: x-mean while the variance is far
// below e.
//
// Measured with Ollama 0.10.1 on ten pairs of sentences with partly the same meaning in other
// words, related ones score 0.75 on average (0.52 at worst), unrelated ones 0.07 at most. It embeds
// some 150 short texts or 30 passages of 1,000 characters a second on two cores.
func WriteEmbedder(file *os.File) error {
	const epsilon = 1e4
	pieces := wordPieces()
	vectors := make([]byte, 0, blockBytes*Dimensions/blockNumbers*len(pieces))
	for _, p := range pieces {
		vectors = appendVector(vectors, p)
	}
	const heads = embedderHeads
	wide := uint64(Dimensions)
	metadata := ggml.KV{
		"general.name":                      "stand-in for mxbai-embed-large",
		"general.file_type":                 tensorQ4_0,
		"bert.block_count":                  uint32(1),
		"bert.context_length":               uint32(Window),
		"bert.embedding_length":             uint32(Dimensions),
		"bert.feed_forward_length":          uint32(embedderFeedForward),
		"bert.attention.head_count":         uint32(heads),
		"bert.attention.head_count_kv":      uint32(1),
		"bert.attention.layer_norm_epsilon": float32(epsilon),
		"bert.attention.causal":             false,
		"bert.pooling_type":                 uint32(1), // mean
		"tokenizer.ggml.model":              "bert",
		"tokenizer.ggml.token_type_count":   uint32(2),
	}
	for name, token := range map[string]uint32{
		"padding": 0, "unknown": 1, "bos": 2, "cls": 2, "eos": 3, "seperator": 3, "mask": 4, //nolint:misspell // llama.cpp's spelling
	} {
		metadata["tokenizer.ggml."+name+"_token_id"] = token
	}

	scale := float32(math.Sqrt(epsilon))
	tensors := []*ggml.Tensor{
		tensor("token_embd.weight", tensorQ4_0, vectors, wide, uint64(len(pieces))),
		constant("position_embd.weight", 0, wide, Window),
		constant("token_types.weight", 0, wide, 2),
	}
	for _, norm := range []string{"token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"} {
		tensors = append(tensors, constant(norm+".weight", scale, wide), constant(norm+".bias", 0, wide))
	}
	for _, layer := range []struct {
		name    string
		in, out uint64
	}{
		{"attn_q", wide, wide},
		{"attn_k", wide, wide / heads},
		{"attn_v", wide, wide / heads},
		{"attn_output", wide, wide},
		{"ffn_up", wide, embedderFeedForward},
		{"ffn_down", embedderFeedForward, wide},
	} {
		tensors = append(tensors,
			zeros("blk.0."+layer.name+".weight", layer.in, layer.out),
			constant("blk.0."+layer.name+".bias", 0, layer.out))
	}
	return writeModel(file, "bert", pieces, metadata, tensors)
}

// appendVector appends a token's vector: every coordinate has the same
// magnitude and a random sign. Vectors of different directions are nearly
// orthogonal; their means are near zero, and the layer norm takes the rest away
// without changing that.
//
// In the format Q4_0 a block of 32 numbers is their scale and 4 bits for each,
// 8 more than the multiple of the scale; the low halves of its 16 bytes are the
// first 16 numbers.
func appendVector(data []byte, p piece) []byte {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(p.direction)) // never fails
	random := rand.NewPCG(hash.Sum64(), Dimensions)

	scale := float16(float32(p.weight / math.Sqrt(Dimensions)))
	for range Dimensions / blockNumbers {
		data = binary.LittleEndian.AppendUint16(data, scale)
		signs := random.Uint64()
		for range blockNumbers / 2 {
			bits := byte(signs & 3)
			low, high := 7+bits&2, 7+bits&1*2 // 7 is -scale, 9 is +scale
			data = append(data, high<<4|low)
			signs >>= 2
		}
	}
	return data
}

// float16 returns the bits of the half-precision number just below f, which
// must be in [0, 65504]. Numbers below 2⁻¹⁴ become 0.
func float16(f float32) uint16 {
	const smallest = 1.0 / (1 << 14)
	if f < smallest {
		return 0
	}
	const rebias = (127 - 15) << 10
	return uint16(math.Float32bits(f)>>13 - rebias)
}
