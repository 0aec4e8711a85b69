// Package tinymodel writes model files, in the GGUF format, that a real Ollama
// loads in place of the ones that the project is used with: an embedding model
// for mxbai-embed-large and a chat model for mistral. They stand in for them
// where no weights can be downloaded, so that tests, demo and benchmarks go
// through the real server, its tokeniser, its limits and its errors.
//
// The embedding model knows words, not meanings: it is a TF-IDF model, and says
// of two texts how many rare words they share. The chat model knows nothing: it
// answers each prompt with the same sentence. Neither says anything about the
// quality of the models that they stand in for.
//
// The package knows the file format and the two architectures. It must not know
// Ollama's API, nor where models are kept.
package tinymodel

// DescriptionKey and Description are a metadata entry of both models, by which
// they can be told from real ones: Ollama shows it.
const (
	DescriptionKey = "general.description"
	Description    = "compound-docs stand-in: for tests, not for use"
)
