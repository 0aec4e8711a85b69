// Package catalog has the types that writers and readers of an index share: tenants, collections, promotion levels, and
// whether a document still holds.
package catalog

import "github.com/compound-docs/compound-docs/db"

// TenantKey names one checkout of a repository on one branch.
type TenantKey = db.TenantKey

// Tenant is a checkout that the index knows. Each read and write of the index concerns one tenant.
type Tenant = db.Tenant

// HandbookKey names the only tenant of the handbook. The key cannot collide with a project's, because the names of
// projects begin with a letter.
func HandbookKey() TenantKey { return TenantKey{Project: ":handbook"} }

// Scope selects the documents of one tenant in one collection, for a search.
type Scope struct {
	Tenant     *Tenant
	Collection Collection
}

// Collection is a kind of documents. A search finds documents of one collection.
type Collection = db.Collection

// The collections.
const (
	Compounding = db.CollectionCompounding
	External    = db.CollectionExternal
	Handbook    = db.CollectionHandbook
)

// Level says how prominent a document is. A document above Standard is promoted: searches rank it higher.
type Level = db.PromotionLevel

// The promotion levels.
const (
	Standard  = db.PromotionLevelStandard
	Important = db.PromotionLevelImportant
	Critical  = db.PromotionLevelCritical
)

// Levels returns the promotion levels in rising order.
func Levels() []Level { return []Level{Standard, Important, Critical} }
