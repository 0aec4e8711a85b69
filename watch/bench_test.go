package watch

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/fakeollama"
	"github.com/compound-docs/compound-docs/internal/testenv"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// unchanged is a folder of documents that a real index holds.
func unchanged(b *testing.B, documents int) (Folder, *rag.Indexer) {
	b.Helper()
	folder := Folder{
		Dir: b.TempDir(), Prefix: "docs",
		Match: func(name string) bool { return filepath.Ext(name) == ".md" },
	}
	old := time.Now().Add(-time.Hour)
	for i := range documents {
		dir := filepath.Join(folder.Dir, fmt.Sprintf("part%d", i%50))
		if err := os.MkdirAll(dir, 0o750); err != nil {
			b.Fatal(err)
		}
		name := filepath.Join(dir, fmt.Sprintf("doc-%05d.md", i))
		content := fmt.Sprintf("---\ntitle: Matter %d\nnumber: %d\n---\nText.\n", i%10, i)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(name, old, old); err != nil {
			b.Fatal(err)
		}
	}
	logger := slog.New(slog.DiscardHandler)
	fake := fakeollama.Start(b)
	database := db.NewDatabase(testenv.DatabaseURL(b), logger)
	b.Cleanup(database.Close)
	models, err := ollama.New(ollama.Config{Hosts: []string{fake.URL()}, Logger: logger})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := models.Close(); err != nil {
			b.Error(err)
		}
	})
	library := rag.NewLibrary(database, models, models, logger)
	tenant, err := library.Tenant(b.Context(), rag.TenantKey{Project: "bench", Branch: "main", PathHash: "0123456789abcdef"}, folder.Dir)
	if err != nil {
		b.Fatal(err)
	}
	indexer := library.Indexer(tenant, rag.External, nil)
	synced, err := Sync(b.Context(), folder, indexer, nil)
	if err != nil {
		b.Fatal(err)
	}
	if synced.Added != documents {
		b.Fatalf("synced %+v, want %d documents added", synced, documents)
	}
	return folder, indexer
}

const benchDocuments = 10_000

// Compare with BenchmarkWalkDirStat: what is above it is this package's own.
func BenchmarkReconcile_Unchanged(b *testing.B) {
	folder, indexer := unchanged(b, benchDocuments)
	for b.Loop() {
		synced, err := Sync(b.Context(), folder, indexer, nil)
		if err != nil || synced.Unchanged != benchDocuments {
			b.Fatal(synced, err)
		}
	}
}

// BenchmarkWalkDirStat is the least that finding changes takes: to look at every
// file, and to ask the database what is known of them.
func BenchmarkWalkDirStat(b *testing.B) {
	folder, indexer := unchanged(b, benchDocuments)
	for b.Loop() {
		known, err := indexer.Known(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		files := 0
		err = filepath.WalkDir(folder.Dir, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			_, err = d.Info()
			return err
		})
		if err != nil || files != len(known) {
			b.Fatal(files, len(known), err)
		}
	}
}
