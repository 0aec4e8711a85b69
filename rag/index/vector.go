package index

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/model"
)

func embeddedText(heading, text string) string {
	if heading == "" {
		return text
	}
	return heading + "\n\n" + text
}

// embedParts embeds a passage that is too long for the model. It halves the text until each part fits. The vector is
// the mean of the parts' vectors, weighted by length. If the model refuses a part, the result has the Err of this part.
func (x *Index) embedParts(ctx context.Context, heading, text string) (model.Embedding, error) {
	first, second, ok := markdown.Halve(text)
	if !ok {
		return model.Embedding{Err: model.ErrInputTooLong}, nil
	}
	parts := []string{first, second}
	embeddings, err := x.embedder.Embed(ctx, []string{embeddedText(heading, parts[0]), embeddedText(heading, parts[1])})
	if err != nil {
		return model.Embedding{}, fmt.Errorf("embed a long passage: %w", err)
	}
	var sum []float64
	digest := ""
	for i, embedding := range embeddings {
		if errors.Is(embedding.Err, model.ErrInputTooLong) {
			embedding, err = x.embedParts(ctx, heading, parts[i])
			if err != nil {
				return model.Embedding{}, err
			}
		}
		if embedding.Err != nil {
			return embedding, nil //nolint:nilerr // the passage's own error
		}
		if digest == "" {
			digest = embedding.Digest
		}
		if embedding.Digest != digest {
			return model.Embedding{}, model.ErrModelReplaced
		}
		if sum == nil {
			sum = make([]float64, len(embedding.Vector))
		}
		for j, component := range embedding.Vector {
			sum[j] += float64(component) * float64(len(parts[i]))
		}
	}
	length := 0.0
	for _, component := range sum {
		length += component * component
	}
	vector := make([]float32, len(sum))
	for i, component := range sum {
		vector[i] = float32(component / max(math.Sqrt(length), math.SmallestNonzeroFloat32))
	}
	return model.Embedding{Vector: vector, Digest: digest}, nil
}
