package tinymodel

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/fs/ggml"
)

// written returns the path of a file with a model.
func written(t *testing.T, write func(*os.File) error) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "model.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	if err := write(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

func TestWriteModel_WrongSize(t *testing.T) {
	t.Parallel()
	err := writeModel(nil, "llama", nil, ggml.KV{}, []*ggml.Tensor{floats("x", []float32{1, 2}, 3)})
	if want := "tensor x does not have the 12 bytes of shape [3]"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
}

func TestWriteEmbedder_File(t *testing.T) {
	t.Parallel()
	first, err := os.ReadFile(written(t, WriteEmbedder))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(written(t, WriteEmbedder))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, second) {
		t.Error("two calls wrote two different files")
	}
	const most = 40 << 20
	if len(first) > most {
		t.Errorf("got %d bytes, want at most %d", len(first), most)
	}
	model, err := ggml.Decode(strings.NewReader(string(first)), -1)
	if err != nil {
		t.Fatal(err)
	}
	metadata := model.KV()
	tokens := metadata.Strings("tokenizer.ggml.tokens")
	for _, tensor := range model.Tensors().Items("token_embd.weight") {
		if want := []uint64{Dimensions, uint64(len(tokens))}; !slices.Equal(tensor.Shape, want) {
			t.Errorf("shape of the token vectors: got %v, want %v", tensor.Shape, want)
		}
	}
	for key, want := range map[string]any{
		"general.architecture":              "bert",
		DescriptionKey:                      Description,
		"bert.embedding_length":             uint32(1024),
		"bert.context_length":               uint32(512),
		"tokenizer.ggml.cls_token_id":       uint32(slices.Index(tokens, "[CLS]")),
		"tokenizer.ggml.seperator_token_id": uint32(slices.Index(tokens, "[SEP]")),
		"tokenizer.ggml.unknown_token_id":   uint32(slices.Index(tokens, "[UNK]")),
		"bert.attention.layer_norm_epsilon": float32(1e4),
	} {
		if diff := cmp.Diff(want, metadata[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
