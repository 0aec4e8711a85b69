package catalog

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"
)

const (
	// documentFormat is the version of all that the index stores of a file, except the passages. A new version makes
	// servers read every file again. Vectors stay valid.
	documentFormat = "20"
	// passageFormat is the version of the passages and terms that are made of a text. A new version changes the hash of
	// every passage, so that every passage is embedded again.
	passageFormat = "3"

	format = documentFormat + "." + passageFormat
)

// SchemaStamp identifies the formats and the rules with which a document was indexed. fingerprint identifies the rules.
func SchemaStamp(fingerprint string) string { return format + ":" + fingerprint }

// PassageHash identifies a passage by its text, and by the language of its terms, "" for English. It hashes the length
// of each part before the part. So two passages differ even if their joined parts are equal.
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
