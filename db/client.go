package db

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
)

// maxHost bounds the host's name in a client's: PostgreSQL cuts an
// application_name at 63 bytes.
const maxHost = 24

// clientName names the connections of one pool in pg_stat_activity, for people and for
// [Database.Evict]: the process, the host, and a random part that no other pool has.
func clientName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	host = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '-'
		}
		return r
	}, host)
	return fmt.Sprintf("compound-docs %d@%s %.8s", os.Getpid(), host[:min(len(host), maxHost)], rand.Text())
}

// describeClient describes the process of a client's name, and returns "" for a name
// that clientName did not make.
func describeClient(name string) string {
	var process, host, random string
	if n, _ := fmt.Sscanf(strings.Replace(name, "@", " ", 1), "compound-docs %s %s %s", &process, &host, &random); n < 3 {
		return ""
	}
	return fmt.Sprintf("process %s on %s", process, host)
}
