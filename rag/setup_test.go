package rag_test

import (
	"context"
	"os"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/model"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

type fixture struct{ *ragtest.Fixture }

func setup(t *testing.T) *fixture {
	t.Helper()
	return &fixture{ragtest.New(t)}
}

// noServer stands for a model server that is away.
type noServer struct{}

func (noServer) EmbedModel(context.Context) (model.Model, error) {
	return model.Model{}, apierror.Errorf(apierror.EmbeddingServiceError, "away")
}

func (noServer) EmbedQuery(context.Context, string) (model.Embedding, error) {
	return model.Embedding{}, apierror.Errorf(apierror.EmbeddingServiceError, "away")
}

func file(path string, lines ...string) document.File { return ragtest.File(path, lines...) }

func section(heading, subject string) string { return ragtest.Section(heading, subject) }

// atLevel is a document of a level whose body is the given lines.
func atLevel(path string, level catalog.Level, lines ...string) document.File {
	return file(path, append([]string{"---", "promotion_level: " + string(level), "---"}, lines...)...)
}

func paths(hits []rag.Hit) []string {
	list := []string{}
	for _, hit := range hits {
		list = append(list, hit.Path)
	}
	return list
}
