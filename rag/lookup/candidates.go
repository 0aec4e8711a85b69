// Package lookup reads the index for searches: facts about a scope, the passages that may answer a question, and the
// texts of documents. It does not say how relevant a passage is.
package lookup

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pgvector/pgvector-go"
	"golang.org/x/sync/errgroup"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/rank"
)

// Filter says which documents a search may return. The zero value lets all through. If you add a field, also change
// hasCondition and selectDocuments, and add a field to admission for the SQL function named admits.
type Filter struct {
	// Levels, DocTypes and Statuses let all documents through if they are empty.
	Levels   []catalog.Level
	DocTypes []string
	Statuses []catalog.Status
	// Documents are the IDs of the only documents to search, nil for all. The search returns each of these documents, even
	// if it has no word of the query. Of several copies of a document, it returns only one copy.
	Documents []int64
}

// Narrows reports whether the filter may leave out a document.
func (f Filter) Narrows() bool {
	return len(f.Levels) > 0 || f.Documents != nil || f.hasCondition()
}

// hasCondition reports whether the filter has a part that SQL must compare with each document: any part except levels
// and IDs.
func (f Filter) hasCondition() bool { return len(f.DocTypes)+len(f.Statuses) > 0 }

func (f Filter) levels() []catalog.Level {
	return slices.DeleteFunc(catalog.Levels(), func(level catalog.Level) bool {
		return len(f.Levels) > 0 && !slices.Contains(f.Levels, level)
	})
}

// Request asks for the passages that may answer a question.
type Request struct {
	Scope    catalog.Scope
	Facts    Facts
	Question rank.Question
	Filter   Filter
	// Limit is the number of documents in the result. Critical is the number of critical documents in a separate list, to
	// which the filter does not apply.
	Limit, Critical int
	// Vector is the query's vector from the model. Meaning is the query's built-in vector, from package wordvec. A nil
	// vector is compared with no passage.
	Vector, Meaning *pgvector.HalfVector
}

// Found is the result of [Reader.Candidates].
type Found struct {
	Candidates []rank.Candidate
	// Passages is how many passages the search could return, at least 1.
	Passages int
	// Scans say how vectors were compared.
	Scans []Scan
}

// Candidates finds the passages that may answer the question.
func (r *Reader) Candidates(ctx context.Context, request Request) (Found, error) {
	filter := request.Filter
	levels := slices.DeleteFunc(filter.levels(), func(level catalog.Level) bool {
		return request.Critical > 0 && level == catalog.Critical
	})
	lists := []list{{filter, levels, request.Limit, filter.Documents != nil}}
	if request.Critical > 0 { // the filter does not apply to critical documents
		lists = append(lists, list{Filter{}, []catalog.Level{catalog.Critical}, request.Critical, true})
	}
	found := Found{Passages: 1}
	if request.Facts.Passages() == 0 {
		return found, nil
	}
	passages := 0
	for _, l := range lists {
		if len(l.levels) == 0 {
			continue
		}
		part, err := r.readList(ctx, request, l)
		if err != nil {
			return Found{}, err
		}
		passages += part.Passages
		found.Candidates = append(found.Candidates, part.Candidates...)
		found.Scans = append(found.Scans, part.Scans...)
	}
	found.Passages = max(passages, 1)
	return found, nil
}

// Documents returns passages of the documents at some paths, even without a word of the question. The request's filter
// applies, except for the field Documents.
func (r *Reader) Documents(ctx context.Context, request Request, paths []string) ([]rank.Candidate, error) {
	rows, err := db.ReadOne(ctx, r.db, "read documents", (*db.Queries).DocumentsByPath, db.DocumentsByPathParams{
		ProjectID: request.Scope.Tenant.ProjectID, TenantID: request.Scope.Tenant.ID, Collection: request.Scope.Collection,
		RelativePaths: paths,
	})
	if err != nil {
		return nil, err
	}
	filter := request.Filter
	filter.Documents = make([]int64, len(rows))
	for i, row := range rows {
		filter.Documents[i] = row.ID
	}
	found, err := r.readList(ctx, request, list{filter, filter.levels(), len(rows), true})
	return found.Candidates, err
}

// list describes a list of documents to read. If the field all is set, a read also returns documents with neither a
// vector nor a word of the query, up to the limit.
type list struct {
	filter Filter
	levels []catalog.Level
	limit  int
	all    bool
}

// selection is what a filter lets through: the IDs in documents, nil for all. If there would be too many IDs, SQL
// compares each document with condition instead. counts estimates how many passages the documents have.
type selection struct {
	documents []int64
	condition *string // an admission in JSON
	counts    passageCounts
}

// admission is a filter for the SQL function named admits. Each field is a set of admitted values, nil to admit all.
type admission struct {
	DocTypes   map[string]bool `json:"doc_types,omitzero"`
	Paths      map[string]bool `json:"paths,omitzero"`
	OtherPaths map[string]bool `json:"other_paths,omitzero"` // paths that are not admitted
}

func set(values []string) map[string]bool {
	if values == nil {
		return nil
	}
	set := make(map[string]bool, len(values))
	for _, value := range values {
		set[value] = true
	}
	return set
}

const (
	// shareSample is how many passages of each level are read to estimate the share that a filter lets through.
	shareSample = 1_000
	// A selection lists its documents if they have at most maxListed passages. Otherwise it has a condition.
	maxListed = 1_000
)

// selectDocuments returns the documents of any level that a filter by doc-types or statuses lets through.
func (r *Reader) selectDocuments(ctx context.Context, request Request, filter Filter) (selection, error) {
	s := selection{counts: request.Facts.counts.byLevel}
	paths, otherPaths := request.Facts.Standings.Paths(filter.Statuses, request.Question.Today)
	condition, err := json.Marshal(admission{DocTypes: set(filter.DocTypes), Paths: set(paths), OtherPaths: set(otherPaths)})
	if err != nil {
		return s, fmt.Errorf("write a filter: %w", err)
	}
	if filter.Documents == nil && request.Facts.Passages() > maxListed {
		row, err := db.ReadOne(ctx, r.db, "sample what a filter lets through", (*db.Queries).SearchShare, db.SearchShareParams{
			ProjectID: request.Scope.Tenant.ProjectID, TenantID: request.Scope.Tenant.ID, Collection: request.Scope.Collection,
			Filter: string(condition), SampleSize: shareSample,
		})
		if err != nil {
			return selection{}, err
		}
		s.counts.Standard = s.counts.Standard * row.Standard / max(row.StandardOf, 1)
		s.counts.Important = s.counts.Important * row.Important / max(row.ImportantOf, 1)
		s.counts.Critical = s.counts.Critical * row.Critical / max(row.CriticalOf, 1)
		if s.counts.at(catalog.Levels()) > maxListed {
			s.condition = new(string(condition))
			return s, nil
		}
	}
	row, err := db.ReadOne(ctx, r.db, "filter documents", (*db.Queries).SearchAllowed, db.SearchAllowedParams{
		ProjectID: request.Scope.Tenant.ProjectID, TenantID: request.Scope.Tenant.ID, Collection: request.Scope.Collection,
		Filter: string(condition), Documents: filter.Documents,
	})
	s.documents = row.Documents
	s.counts = passageCounts{Standard: row.Standard, Important: row.Important, Critical: row.Critical}
	return s, err
}

// readList reads the passages that may get into one list of the result.
func (r *Reader) readList(ctx context.Context, request Request, l list) (Found, error) {
	selected := selection{documents: l.filter.Documents, counts: request.Facts.counts.byLevel}
	if l.filter.hasCondition() {
		filtered, err := r.selectDocuments(ctx, request, l.filter)
		if err != nil {
			return Found{}, err
		}
		selected = filtered
	}
	search := search{request, l, selected}
	passages := selected.counts.at(l.levels)
	vectorParams, scans := search.vectorParams()
	var words, compared, alike []rank.Candidate
	// The reads run at the same time over several connections: PostgreSQL uses one processor for each.
	reads, ctx := errgroup.WithContext(ctx)
	if len(request.Question.Rare) > 0 {
		reads.Go(func() (err error) {
			words, err = readCandidates(ctx, r.db, "search words", (*db.Queries).SearchWords, search.wordParams())
			return err
		})
	}
	if request.Vector != nil || l.all {
		reads.Go(func() (err error) {
			compared, err = readCandidates(ctx, r.db, "search vectors", (*db.Queries).SearchVectors, vectorParams)
			return err
		})
	}
	if request.Meaning != nil && passages <= maxMeanings {
		reads.Go(func() (err error) {
			alike, err = readCandidates(ctx, r.db, "search meanings", (*db.Queries).SearchMeanings, search.meaningParams())
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return Found{}, err //nolint:wrapcheck // of this package's reads
	}
	return Found{slices.Concat(words, compared, alike), int(passages), scans}, nil
}
