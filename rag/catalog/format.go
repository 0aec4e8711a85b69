package catalog

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"
)

const (
	// documentFormat names what this version stores of a file besides its passages: its
	// row, its links and where its passages are. A new name makes servers read every file
	// again. Vectors are kept.
	documentFormat = "5"
	// passageFormat names the passages and the terms that this version makes of a text. It
	// is part of each passage's hash, so that a new name also costs every vector.
	passageFormat = "2"

	format = documentFormat + "." + passageFormat
)

// SchemaStamp identifies what a document was indexed with: the formats of this version, and
// a schema of the given fingerprint.
func SchemaStamp(fingerprint string) string { return format + ":" + fingerprint }

// PassageHash identifies a passage by the text that is searched and embedded, and by the language that
// its terms are of, "" for English. Each part is preceded by its length, so that no two different
// passages hash alike.
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
