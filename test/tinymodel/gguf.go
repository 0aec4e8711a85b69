package tinymodel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// GGUF's constants, from the format's description in ggml's documentation.
const (
	ggufVersion   = 3
	ggufAlignment = 32 // bytes; the default, which readers assume without a key that says otherwise
)

// valueType is the type of a metadata value.
type valueType uint32

const (
	typeUint32  valueType = 4
	typeInt32   valueType = 5
	typeFloat32 valueType = 6
	typeBool    valueType = 7
	typeString  valueType = 8
	typeArray   valueType = 9
)

// tensorType is how a tensor's numbers are stored.
type tensorType uint32

const (
	tensorF32  tensorType = 0
	tensorQ4_0 tensorType = 2
)

// The format Q4_0 stores numbers in blocks: a scale of 16 bits and 4 bits for
// each number. A block of zero bytes is all zeros.
const (
	blockNumbers = 32
	blockBytes   = 2 + blockNumbers/2
)

// size returns the bytes that n numbers take. n must be a multiple of 32 for
// a quantised type.
func (t tensorType) size(n uint64) uint64 {
	if t == tensorQ4_0 {
		return n / blockNumbers * blockBytes
	}
	return 4 * n
}

// keyValue is one entry of the metadata. The value is an int32, uint32,
// float32, bool or string, or a slice of int32, float32 or string.
type keyValue struct {
	key   string
	value any
}

// tensor is a named array of numbers.
type tensor struct {
	name  string
	shape []uint64 // the fastest-moving dimension first
	kind  tensorType
	data  []byte // little-endian; nil for zeros
}

func (t tensor) size() uint64 {
	n := uint64(1)
	for _, d := range t.shape {
		n *= d
	}
	return t.kind.size(n)
}

// zeros is a tensor of zeros of a quantised type: the smallest to store.
func zeros(name string, shape ...uint64) tensor {
	return tensor{name: name, shape: shape, kind: tensorQ4_0}
}

// constant is a tensor of 32-bit numbers that are all the same.
func constant(name string, value float32, shape ...uint64) tensor {
	n := uint64(1)
	for _, d := range shape {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = value
	}
	return floats(name, values, shape...)
}

// floats is a tensor of 32-bit numbers, given row by row.
func floats(name string, values []float32, shape ...uint64) tensor {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return tensor{name: name, shape: shape, kind: tensorF32, data: data}
}

// writeGGUF writes a model file: header, metadata, tensor descriptions, and the
// tensors' data, each aligned.
func writeGGUF(w io.Writer, metadata []keyValue, tensors []tensor) error {
	var head bytes.Buffer
	head.WriteString("GGUF")
	writeUint32(&head, ggufVersion)
	writeUint64(&head, uint64(len(tensors)))
	writeUint64(&head, uint64(len(metadata)))
	for _, kv := range metadata {
		writeString(&head, kv.key)
		if err := writeValue(&head, kv.value); err != nil {
			return fmt.Errorf("write metadata %s: %w", kv.key, err)
		}
	}
	offset := uint64(0)
	for _, t := range tensors {
		writeString(&head, t.name)
		writeUint32(&head, uint32(len(t.shape))) //nolint:gosec // at most 4
		for _, d := range t.shape {
			writeUint64(&head, d)
		}
		writeUint32(&head, uint32(t.kind))
		writeUint64(&head, offset)
		offset += aligned(t.size())
	}
	head.Write(make([]byte, padding(uint64(head.Len())))) //nolint:gosec // a length is not negative

	if _, err := head.WriteTo(w); err != nil {
		return fmt.Errorf("write header: %w", err)
	}
	for _, t := range tensors {
		data := t.data
		if data == nil {
			data = make([]byte, t.size())
		}
		if uint64(len(data)) != t.size() {
			return fmt.Errorf("write tensor %s: %d bytes for shape %v, want %d", t.name, len(data), t.shape, t.size())
		}
		if _, err := w.Write(data); err != nil {
			return fmt.Errorf("write tensor %s: %w", t.name, err)
		}
		if _, err := w.Write(make([]byte, padding(t.size()))); err != nil {
			return fmt.Errorf("write tensor %s: %w", t.name, err)
		}
	}
	return nil
}

// padding returns the number of bytes from n to the next aligned offset.
func padding(n uint64) uint64 {
	return (ggufAlignment - n%ggufAlignment) % ggufAlignment
}

func aligned(n uint64) uint64 { return n + padding(n) }

var errValueType = errors.New("no GGUF type for the value")

func writeValue(b *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case uint32:
		writeUint32(b, uint32(typeUint32))
		writeUint32(b, v)
	case int32:
		writeUint32(b, uint32(typeInt32))
		writeUint32(b, uint32(v)) //nolint:gosec // the same 32 bits
	case float32:
		writeUint32(b, uint32(typeFloat32))
		writeUint32(b, math.Float32bits(v))
	case bool:
		writeUint32(b, uint32(typeBool))
		if v {
			b.WriteByte(1)
		} else {
			b.WriteByte(0)
		}
	case string:
		writeUint32(b, uint32(typeString))
		writeString(b, v)
	case []string:
		writeArrayHead(b, typeString, len(v))
		for _, s := range v {
			writeString(b, s)
		}
	case []int32:
		writeArrayHead(b, typeInt32, len(v))
		for _, n := range v {
			writeUint32(b, uint32(n)) //nolint:gosec // the same 32 bits
		}
	case []float32:
		writeArrayHead(b, typeFloat32, len(v))
		for _, f := range v {
			writeUint32(b, math.Float32bits(f))
		}
	default:
		return fmt.Errorf("%w: %T", errValueType, value)
	}
	return nil
}

func writeArrayHead(b *bytes.Buffer, element valueType, n int) {
	writeUint32(b, uint32(typeArray))
	writeUint32(b, uint32(element))
	writeUint64(b, uint64(n)) //nolint:gosec // a length is not negative
}

func writeString(b *bytes.Buffer, s string) {
	writeUint64(b, uint64(len(s)))
	b.WriteString(s)
}

func writeUint32(b *bytes.Buffer, v uint32) {
	b.Write(binary.LittleEndian.AppendUint32(nil, v))
}

func writeUint64(b *bytes.Buffer, v uint64) {
	b.Write(binary.LittleEndian.AppendUint64(nil, v))
}
