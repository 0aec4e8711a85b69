package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/google/uuid"
)

// Format names what this version makes of a file: its passages, their terms and its
// links. A change of that changes the name, and every document is indexed again.
const Format = "2"

// PassageHash identifies what is searched and embedded. Each part is preceded by its
// length, so that no two different pairs hash alike. The format is among them: a passage
// that this version would store otherwise is another one.
func PassageHash(heading, text string) uuid.UUID {
	h := sha256.New()
	for _, part := range []string{Format, heading, text} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return uuid.UUID(h.Sum(nil)[:len(uuid.UUID{})])
}

// Altered reports whether a passage is not what its key says: somebody has rewritten it in
// the database. schemaStamp is that of its document. Passages that another version has
// made have keys of another kind, of which nothing can be said.
func Altered(schemaStamp string, hash uuid.UUID, heading, text string) bool {
	own := schemaStamp == "" || strings.HasPrefix(schemaStamp, Format+":")
	return own && PassageHash(heading, text) != hash
}
