package index

import (
	"reflect"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// What is stored of a document has changed only together with the format. Otherwise documents that were
// indexed before would lack it until their files change.
func TestFormat_ChangesWithTheColumns(t *testing.T) {
	t.Parallel()
	const format = "20.3"
	const columns = "ProjectID Collection RelativePaths Titles FileTitles Summaries Tags DocTypes DocDates Dated PromotionLevels ContentHashes " +
		"SchemaHashes CharCounts FileSizes FileMtimes FileCtimes FileInodes ChunkCounts Places Names Messages Triggers Cues Statuses Untils Numbers TenantID"
	var now []string
	for field := range reflect.TypeFor[db.DocumentUpsertManyParams]().Fields() {
		now = append(now, field.Name)
	}
	got, _, _ := strings.Cut(catalog.SchemaStamp(""), ":")
	if joined := strings.Join(now, " "); joined != columns || got != format {
		t.Errorf("format %s stores %s; after a change of columns give it a new name in rag/catalog/format.go, "+
			"and correct both here", got, joined)
	}
}
