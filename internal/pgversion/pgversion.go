// Package pgversion says which versions of PostgreSQL and pgvector the index works with.
package pgversion

import "fmt"

// The oldest versions that work. The index needs PostgreSQL's foreign keys between partitioned tables, and pgvector's
// iterative index scans and sparse vectors.
const (
	OldestPostgreSQL = "15"
	OldestPgvector   = "0.8.0"
)

// SoundPgvector is the oldest pgvector that is known to work during a vacuum. Before 0.8.3 a vacuum could corrupt an
// HNSW index. Before 0.8.4 an insert during a vacuum could fail.
const SoundPgvector = "0.8.4"

// Supported reports whether the index works with both versions.
func Supported(postgreSQL, pgvector string) bool {
	return AtLeast(postgreSQL, OldestPostgreSQL) && AtLeast(pgvector, OldestPgvector)
}

// AtLeast reports whether version is equal to oldest or newer than oldest. Versions are texts such as "15.18" or
// "0.8.4", and only the first three parts count. A text without a version is older than any version.
func AtLeast(version, oldest string) bool { return number(version) >= number(oldest) }

// Major returns the first part of a version, and 0 for a text without a version.
func Major(version string) int { return number(version) / (unit * unit) }

const unit = 1000

func number(version string) int {
	var major, minor, patch int
	_, _ = fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch) // parts may be missing
	return (major*unit+minor)*unit + patch
}
