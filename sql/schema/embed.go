// Package schema holds the database's migrations. They are plain goose files,
// so `goose -dir sql/schema postgres "$DSN" up` runs the same ones.
package schema

import "embed"

// FS holds the migrations at its root.
//
//go:embed *.sql
var FS embed.FS

// Columns lists the columns of all tables and views after the last migration, as in documents.title.
//
//go:embed columns.txt
var Columns string
