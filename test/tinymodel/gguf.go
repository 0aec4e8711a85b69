// Package tinymodel writes model files, in the GGUF format, that a real Ollama loads: an embedding
// model for mxbai-embed-large and a chat model for mistral. Where no weights can be downloaded they
// let tests, demo and benchmarks go through the real server, its tokeniser, its limits and its
// errors.
//
// The embedding model knows words, not meanings: it tells how many words two texts share. The chat
// model knows nothing and answers each prompt with the same sentence. Neither says anything about
// the quality of the real models.
//
// The package knows the file format and the two architectures. It must not know Ollama's API or
// where models are kept.
package tinymodel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"github.com/ollama/ollama/fs/ggml"
)

// DescriptionKey and Description are a metadata entry that tells both models from real ones. Ollama
// shows it.
const (
	DescriptionKey = "general.description"
	Description    = "compound-docs stand-in: for tests, not for use"
)

// Kinds of tensors. Q4_0 stores numbers in blocks: a scale of 16 bits, and 4 bits
// for each of 32 numbers. A block of zero bytes is all zeros.
const (
	tensorF32    = uint32(ggml.TensorTypeF32)
	tensorQ4_0   = uint32(ggml.TensorTypeQ4_0)
	blockNumbers = 32
	blockBytes   = 2 + blockNumbers/2
)

// Kinds of tokens, as llama.cpp has them.
const (
	tokenNormal  int32 = 1
	tokenUnknown int32 = 2
	tokenControl int32 = 3
	tokenByte    int32 = 6
)

// writeModel writes a model of an architecture with a vocabulary. The metadata is
// what the architecture needs beside that.
func writeModel(file *os.File, architecture string, pieces []piece, metadata ggml.KV, tensors []*ggml.Tensor) error {
	tokens, kinds := make([]string, len(pieces)), make([]int32, len(pieces))
	for i, p := range pieces {
		tokens[i], kinds[i] = p.text, p.kind
	}
	metadata["general.architecture"] = architecture
	metadata["general.quantization_version"] = uint32(2)
	metadata[DescriptionKey] = Description
	metadata["tokenizer.ggml.tokens"] = tokens
	metadata["tokenizer.ggml.token_type"] = kinds
	metadata["tokenizer.ggml.scores"] = make([]float32, len(pieces))
	for _, t := range tensors {
		if data, ok := t.WriterTo.(*bytes.Reader); !ok || uint64(data.Len()) != t.Size() { //nolint:gosec // a length is not negative
			return fmt.Errorf("tensor %s does not have the %d bytes of shape %v", t.Name, t.Size(), t.Shape)
		}
	}
	return ggml.WriteGGUF(file, metadata, tensors) //nolint:wrapcheck // says all there is
}

// tensor is one with its data. The fastest-moving dimension comes first.
func tensor(name string, kind uint32, data []byte, shape ...uint64) *ggml.Tensor {
	return &ggml.Tensor{Name: name, Kind: kind, Shape: shape, WriterTo: bytes.NewReader(data)}
}

// zeros is a tensor of zeros of a quantised type: the smallest to store.
func zeros(name string, shape ...uint64) *ggml.Tensor {
	return tensor(name, tensorQ4_0, make([]byte, product(shape)/blockNumbers*blockBytes), shape...)
}

// constant is a tensor of numbers that are all the same.
func constant(name string, value float32, shape ...uint64) *ggml.Tensor {
	values := make([]float32, product(shape))
	for i := range values {
		values[i] = value
	}
	return floats(name, values, shape...)
}

// floats is a tensor of 32-bit numbers, given row by row.
func floats(name string, values []float32, shape ...uint64) *ggml.Tensor {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return tensor(name, tensorF32, data, shape...)
}

func product(shape []uint64) uint64 {
	n := uint64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}
