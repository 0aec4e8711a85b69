package db

import (
	"strings"
	"testing"
)

// A file that changes replaces each column of its document but those of the key.
func TestDocumentUpsertMany_ReplacesEachColumn(t *testing.T) {
	t.Parallel()
	_, list, _ := strings.Cut(documentUpsertMany, "INSERT INTO documents (")
	list, _, _ = strings.Cut(list, ")")
	const key = " project_id tenant_id id collection relative_path "
	for column := range strings.SplitSeq(list, ",") {
		column = strings.TrimSpace(column)
		if !strings.Contains(key, " "+column+" ") && !strings.Contains(documentUpsertMany, " "+column+" = excluded."+column) {
			t.Errorf("a document that is there keeps its %s", column)
		}
	}
}
