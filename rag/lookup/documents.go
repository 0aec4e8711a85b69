package lookup

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/rank"
	"github.com/compound-docs/compound-docs/rag/said"
)

// Named returns the paths of the documents whose path, file name or number is the query, such as pool.md, docs/pool and
// ADR 12. If the query is a whole path from the root of the repository, it returns only that path.
func (r *Reader) Named(ctx context.Context, request Request) ([]string, error) {
	name := strings.TrimPrefix(strings.Trim(request.Question.Text, " \t\n`'\"<>"), "./")
	params := db.DocumentsNamedParams{
		ProjectID: request.Scope.Tenant.ProjectID, TenantID: request.Scope.Tenant.ID, Collection: request.Scope.Collection,
	}
	decision := decisionName.FindStringSubmatch(name)
	switch {
	case decision != nil:
		params.Number = new("#" + decision[2])
	case isPath.MatchString(name):
		params.Path = new(`(^|/)` + regexp.QuoteMeta(name) + `(\.\w+)?$`)
	default:
		return nil, nil
	}
	documents, err := db.ReadOne(ctx, r.db, "find documents by their names", (*db.Queries).DocumentsNamed, params)
	if err != nil {
		return nil, err
	}
	if decision != nil {
		documents = ofSeries(strings.ToLower(decision[1]), request.Scope.Tenant.Key.Project, documents)
	}
	paths := make([]string, len(documents))
	for i, d := range documents {
		paths[i] = d.RelativePath
	}
	if len(paths) > 0 && strings.EqualFold(paths[0], name) { // paths[0] is the shortest
		paths = paths[:1]
	}
	return paths, nil
}

// ofSeries returns the numbered documents of a series, such as adr. The path of such a document names the series, as
// proposals/otep-66.md names otep, or the project has the name of the series, such as oteps. For a series that any
// project may have, the title may name it too, and a single document need not name it.
func ofSeries(series, project string, documents []db.DocumentsNamedRow) []db.DocumentsNamedRow {
	isCommon := said.IsSeries(series)
	if isCommon && len(documents) == 1 || strings.TrimSuffix(strings.ToLower(project), "s") == strings.TrimSuffix(series, "s") {
		return documents
	}
	word := regexp.MustCompile(`(?i)(?:^|[^\pL])` + series + `s?(?:[^\pL]|$)`)
	return slices.DeleteFunc(documents, func(d db.DocumentsNamedRow) bool {
		text := d.RelativePath
		if isCommon {
			text += " " + d.Title
		}
		return !word.MatchString(text) && (series != "adr" || !strings.Contains(strings.ToLower(text), "decision"))
	})
}

var (
	// decisionName matches a word with a number, which may name a document of a series, such as ADR 12 and rfc-0007.
	decisionName = regexp.MustCompile(`(?i)^([a-z]{2,8})[-_ #]*0*(\d{1,6})$`)
	// isPath matches a word with a slash, dot, hyphen or underscore between letters or digits, as in names of files.
	isPath = regexp.MustCompile(`^\S*[\pL\d][-_./][\pL\d]\S*$`)
)

// Texts returns all passages of some documents of the scope, in the order of each document's text.
func (r *Reader) Texts(ctx context.Context, request Request, documents []int64) ([]rank.Candidate, error) {
	rows, err := db.ReadOne(ctx, r.db, "read texts", (*db.Queries).ChunkTexts, db.ChunkTextsParams{
		ProjectID: request.Scope.Tenant.ProjectID, Collection: request.Scope.Collection, DocumentIds: documents,
		Terms: termVector(request.Question.Weights), Query: request.Vector, ModelID: request.comparedModel(),
		Meaning: request.Meaning,
	})
	texts := make([]rank.Candidate, len(rows))
	for i, row := range rows {
		texts[i] = rank.Candidate{
			Hit: rank.Hit{
				ID: row.DocumentID, Ordinal: int(row.Ordinal), HeaderPath: row.HeaderPath, Content: row.Content,
				StartLine: int(row.StartLine), EndLine: int(row.EndLine), Distance: row.Distance, Likeness: row.Likeness,
			},
			Heading: row.Heading, Bm25: row.Bm25, LineIndex: -1,
		}
	}
	return texts, err
}

// Linked returns the links between some documents as pairs of IDs: the first document links to the second.
func (r *Reader) Linked(ctx context.Context, scope catalog.Scope, documents []int64) (map[[2]int64]bool, error) {
	pairs, err := db.ReadOne(ctx, r.db, "read links", (*db.Queries).LinkPairs, db.LinkPairsParams{
		ProjectID: scope.Tenant.ProjectID, Documents: documents,
	})
	linked := make(map[[2]int64]bool, len(pairs))
	for _, pair := range pairs {
		linked[[2]int64{pair.FromID, pair.ToID}] = true
	}
	return linked, err
}
