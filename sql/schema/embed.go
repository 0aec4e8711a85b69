// Package schema holds the database's migrations. They have the format of goose, so this command applies them too:
// goose -dir sql/schema postgres "$DSN" up
package schema

import "embed"

// FS holds the migrations at its root.
//
//go:embed *.sql
var FS embed.FS

// Columns lists the columns of all tables and views after the last migration, such as documents.title.
//
//go:embed columns.txt
var Columns string
