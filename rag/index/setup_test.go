package index_test

import (
	"os"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

type fixture struct{ *ragtest.Fixture }

func setup(t *testing.T) *fixture {
	t.Helper()
	return &fixture{ragtest.New(t)}
}

func file(path string, lines ...string) document.File { return ragtest.File(path, lines...) }

func section(heading, subject string) string { return ragtest.Section(heading, subject) }

func indexer(x *index.Index, tenant *catalog.Tenant, collection catalog.Collection) *index.Indexer {
	if collection == catalog.Compounding {
		return x.Indexer(tenant, collection, ragtest.AnyDocument{})
	}
	return x.Indexer(tenant, collection, nil)
}
