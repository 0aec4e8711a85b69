package ollama

import "strings"

// Embedder is an embedding model of Ollama's library to choose from.
type Embedder struct {
	Name      string
	Megabytes int // to download, and about half of the memory that it takes
	// Trait says what it is good at, or gives up.
	Trait string
}

// Embedders returns some, the default first.
func Embedders() []Embedder {
	return []Embedder{
		{"mxbai-embed-large", 670, "it knows English alone"},
		{"bge-m3", 1160, "it knows over 100 languages, and takes longer"},
		{"nomic-embed-text", 274, "it knows English alone, and finds a little less than a larger one"},
		{"all-minilm", 46, "it is the fastest, knows English alone, and finds less than a larger one"},
	}
}

// SameModel reports whether two names, with or without a tag, are of one model.
func SameModel(a, b string) bool { return fullName(a) == fullName(b) }

// fullName returns a model's name as it is compared: with a tag, and in lower case
// because Ollama ignores case.
func fullName(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}
