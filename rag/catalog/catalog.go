// Package catalog names what an index holds: whose documents they are, of which kind,
// how prominent, and which of them others replace. What writes the index and what reads
// it both speak in these words; the package knows neither.
package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/google/uuid"

	"github.com/compound-docs/compound-docs/db"
)

// TenantKey names one checkout on one branch.
type TenantKey = db.TenantKey

// Tenant is a registered checkout. Every read and write of the index is inside
// one.
type Tenant = db.Tenant

// HandbookKey names the handbook's one tenant. No project can have its name, because
// the name of a project begins with a letter.
func HandbookKey() TenantKey { return TenantKey{Project: ":handbook"} }

// Scope selects the documents of a search.
type Scope struct {
	Tenant     *Tenant
	Collection Collection
}

// Collection is a kind of documents that is searched apart from the others.
type Collection = db.Collection

// The collections.
const (
	Compounding = db.CollectionCompounding
	External    = db.CollectionExternal
	Handbook    = db.CollectionHandbook
)

// Level is how prominent a document is; see [Levels].
type Level = db.PromotionLevel

// The promotion levels.
const (
	Standard  = db.PromotionLevelStandard
	Important = db.PromotionLevelImportant
	Critical  = db.PromotionLevelCritical
)

// Levels returns the promotion levels in rising order.
func Levels() []Level { return []Level{Standard, Important, Critical} }

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
