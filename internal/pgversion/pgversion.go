// Package pgversion says which versions of PostgreSQL and pgvector the index works with.
package pgversion

import "fmt"

// The oldest versions that work: foreign keys between partitioned tables, and pgvector's
// iterative index scans and sparse vectors.
const (
	OldestPostgreSQL = "15"
	OldestPgvector   = "0.8.0"
)

// Supported reports whether the index works with both versions.
func Supported(postgreSQL, pgvector string) bool {
	return AtLeast(postgreSQL, OldestPostgreSQL) && AtLeast(pgvector, OldestPgvector)
}

// AtLeast compares two versions, such as "15.18", by their first two parts. What is no
// version is older than any.
func AtLeast(version, oldest string) bool { return number(version) >= number(oldest) }

// Major returns the first part of a version, and 0 for what is none.
func Major(version string) int { return number(version) / unit }

const unit = 1000

func number(version string) int {
	var major, minor int
	_, _ = fmt.Sscanf(version, "%d.%d", &major, &minor) // the second part may be missing
	return major*unit + minor
}
