package rag

import (
	"context"

	"github.com/compound-docs/compound-docs/db"
)

// DocumentFiles names the files of the repository that a document is about.
type DocumentFiles struct {
	Path, Date string
	// Files are as the document names them, "" for what is no name.
	Files []string
}

// Files returns the documents of the scope that name files.
func (s *Searcher) Files(ctx context.Context, scope Scope) ([]DocumentFiles, error) {
	var documents []DocumentFiles
	err := s.db.Read(ctx, "read the files of documents", func(q *db.Queries) error {
		documents = nil
		rows, err := q.DocumentFiles(ctx, db.DocumentFilesParams{
			ProjectID: scope.Tenant.ProjectID, TenantID: scope.Tenant.ID, Collection: scope.Collection,
		})
		for _, row := range rows {
			documents = append(documents, DocumentFiles{Path: row.RelativePath, Date: row.DocDate, Files: row.Files})
		}
		return err
	})
	return documents, err
}
