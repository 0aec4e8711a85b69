package tinymodel

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parsedFile is what a reader makes of a GGUF file.
type parsedFile struct {
	version  uint32
	metadata map[string]any
	tensors  map[string]parsedTensor
	dataSize int // bytes from the first tensor to the end of the file
}

type parsedTensor struct {
	shape  []uint64
	kind   tensorType
	offset uint64
}

// parse reads a GGUF file and fails the test if it ends early.
func parse(t *testing.T, file []byte) parsedFile {
	t.Helper()
	r := &ggufReader{t: t, Reader: bytes.NewReader(file)}
	if got := string(r.bytes(4)); got != "GGUF" {
		t.Fatalf("magic: got %q", got)
	}
	f := parsedFile{metadata: map[string]any{}, tensors: map[string]parsedTensor{}}
	f.version = r.uint32()
	tensors, entries := r.uint64(), r.uint64()
	for range entries {
		key := r.string()
		f.metadata[key] = r.value(valueType(r.uint32()))
	}
	for range tensors {
		name := r.string()
		shape := make([]uint64, r.uint32())
		for i := range shape {
			shape[i] = r.uint64()
		}
		f.tensors[name] = parsedTensor{shape: shape, kind: tensorType(r.uint32()), offset: r.uint64()}
	}
	start := len(file) - r.Len()
	f.dataSize = len(file) - (start+31)/32*32
	return f
}

type ggufReader struct {
	*bytes.Reader
	t *testing.T
}

func (r *ggufReader) bytes(n uint64) []byte {
	r.t.Helper()
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		r.t.Fatalf("read %d bytes: %v", n, err)
	}
	return b
}

func (r *ggufReader) uint32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *ggufReader) uint64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }
func (r *ggufReader) string() string { return string(r.bytes(r.uint64())) }

func (r *ggufReader) value(kind valueType) any {
	r.t.Helper()
	switch kind {
	case typeUint32:
		return r.uint32()
	case typeInt32:
		return int32(r.uint32())
	case typeFloat32:
		return math.Float32frombits(r.uint32())
	case typeBool:
		return r.bytes(1)[0] == 1
	case typeString:
		return r.string()
	case typeArray:
		element, n := valueType(r.uint32()), r.uint64()
		values := make([]any, n)
		for i := range values {
			values[i] = r.value(element)
		}
		return values
	default:
		r.t.Fatalf("unknown type %d of a value", kind)
		return nil
	}
}

func TestWriteGGUF_RoundTrip(t *testing.T) {
	t.Parallel()
	metadata := []keyValue{
		{"a.uint", uint32(7)},
		{"a.int", int32(-7)},
		{"a.float", float32(0.5)},
		{"a.bool", true},
		{"a.string", "▁word"},
		{"some.strings", []string{"x", ""}},
		{"some.ints", []int32{1, -1}},
		{"some.floats", []float32{0, 2}},
	}
	tensors := []tensor{
		floats("three", []float32{1, 2, 3}, 3),
		zeros("zero", 64, 2),
		constant("ones", 1, 5, 2),
	}
	var file bytes.Buffer
	if err := writeGGUF(&file, metadata, tensors); err != nil {
		t.Fatal(err)
	}
	got := parse(t, file.Bytes())
	if got.version != 3 {
		t.Errorf("version: got %d, want 3", got.version)
	}
	wantMetadata := map[string]any{
		"a.uint": uint32(7), "a.int": int32(-7), "a.float": float32(0.5), "a.bool": true, "a.string": "▁word",
		"some.strings": []any{"x", ""}, "some.ints": []any{int32(1), int32(-1)}, "some.floats": []any{float32(0), float32(2)},
	}
	if diff := cmp.Diff(wantMetadata, got.metadata); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	wantTensors := map[string]parsedTensor{
		"three": {shape: []uint64{3}, kind: tensorF32, offset: 0},
		"zero":  {shape: []uint64{64, 2}, kind: tensorQ4_0, offset: 32},
		"ones":  {shape: []uint64{5, 2}, kind: tensorF32, offset: 32 + 96},
	}
	if diff := cmp.Diff(wantTensors, got.tensors, cmp.AllowUnexported(parsedTensor{})); diff != "" {
		t.Errorf("tensors (-want +got):\n%s", diff)
	}
	const wantSize = 32 + 96 + 64 // 12, 72 and 40 bytes, each padded to 32
	if got.dataSize != wantSize {
		t.Errorf("data: got %d bytes, want %d", got.dataSize, wantSize)
	}
	data := file.Bytes()[file.Len()-wantSize:]
	if got := math.Float32frombits(binary.LittleEndian.Uint32(data[8:])); got != 3 {
		t.Errorf("third number of the first tensor: got %v, want 3", got)
	}
}

func TestWriteGGUF_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		metadata []keyValue
		tensors  []tensor
		want     string
	}{
		{
			name:     "a value without a type in GGUF",
			metadata: []keyValue{{"key", 1.5}},
			want:     "write metadata key: no GGUF type for the value: float64",
		},
		{
			name:    "data that does not fit the shape",
			tensors: []tensor{floats("x", []float32{1, 2}, 3)},
			want:    "write tensor x: 8 bytes for shape [3], want 12",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := writeGGUF(io.Discard, test.metadata, test.tensors)
			if err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

func TestWriteEmbedder_File(t *testing.T) {
	t.Parallel()
	var first, second bytes.Buffer
	for _, file := range []*bytes.Buffer{&first, &second} {
		if err := WriteEmbedder(file, General()); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same vocabulary gave two different files")
	}
	const most = 40 << 20
	if first.Len() > most {
		t.Errorf("got %d bytes, want at most %d", first.Len(), most)
	}
	file := parse(t, first.Bytes())
	tokens, ok := file.metadata["tokenizer.ggml.tokens"].([]any)
	if !ok {
		t.Fatal("no tokens")
	}
	if got, want := file.tensors["token_embd.weight"].shape, []uint64{Dimensions, uint64(len(tokens))}; !slices.Equal(got, want) {
		t.Errorf("shape of the token vectors: got %v, want %v", got, want)
	}
	for key, want := range map[string]any{
		"general.architecture":              "bert",
		"bert.embedding_length":             uint32(1024),
		"bert.context_length":               uint32(512),
		"tokenizer.ggml.cls_token_id":       uint32(slices.Index(tokens, any("[CLS]"))),
		"tokenizer.ggml.seperator_token_id": uint32(slices.Index(tokens, any("[SEP]"))),
		"tokenizer.ggml.unknown_token_id":   uint32(slices.Index(tokens, any("[UNK]"))),
		"bert.attention.layer_norm_epsilon": float32(1e4),
	} {
		if diff := cmp.Diff(want, file.metadata[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
