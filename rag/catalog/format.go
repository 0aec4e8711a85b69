package catalog

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"
)

const (
	// documentFormat names what is stored of a file besides its passages. A new name makes servers
	// read every file again, and keeps vectors.
	documentFormat = "19"
	// passageFormat names the passages and terms made of a text. It is part of each passage's hash,
	// so that a new name also costs every vector.
	passageFormat = "3"

	format = documentFormat + "." + passageFormat
)

// SchemaStamp identifies the formats and the schema with which a document was indexed.
func SchemaStamp(fingerprint string) string { return format + ":" + fingerprint }

// PassageHash identifies a passage by its text, and by the language of its terms, "" for English. The
// length before each part keeps two passages apart.
func PassageHash(heading, text, language string) uuid.UUID {
	parts := []string{passageFormat, heading, text}
	if language != "" {
		parts = append(parts, language)
	}
	h := sha256.New()
	for _, part := range parts {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return uuid.UUID(h.Sum(nil)[:len(uuid.UUID{})])
}
