// Package install has the scripts that install PostgreSQL and pgvector with apt, for
// compound-docs init and for tests.
package install

import "embed"

// Scripts are install.sh, and apt.sh that it shares with scripts of the tests.
//
//go:embed *.sh
var Scripts embed.FS
