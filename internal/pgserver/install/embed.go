// Package install has the scripts that install PostgreSQL and pgvector with apt, for
// compound-docs init and for tests.
package install

import (
	"embed"
	"strings"
)

// Scripts are install.sh, and apt.sh that it shares with scripts of the tests.
//
//go:embed *.sh
var Scripts embed.FS

// Script is install.sh with apt.sh in it. It asks for sudo's password first.
func Script() string {
	shared, _ := Scripts.ReadFile("apt.sh") // both are embedded
	script, _ := Scripts.ReadFile("install.sh")
	return strings.Replace(string(script), `. "$(dirname "$0")/apt.sh"`, `[ "$(id -u)" = 0 ] || sudo -v || :`+"\n"+string(shared), 1)
}
