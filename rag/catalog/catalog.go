// Package catalog has the types that writers and readers of an index share: tenants,
// collections, levels, and documents that supersede others.
package catalog

import "github.com/compound-docs/compound-docs/db"

// TenantKey names one checkout on one branch.
type TenantKey = db.TenantKey

// Tenant is a registered checkout. Every read and write of the index is inside one.
type Tenant = db.Tenant

// HandbookKey names the only tenant of the handbook. No project has its name: those begin with a letter.
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
