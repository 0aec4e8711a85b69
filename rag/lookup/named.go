package lookup

import (
	"context"
	"regexp"
	"strings"

	"github.com/compound-docs/compound-docs/db"
)

// Named returns the paths of the documents whose path, file name or number is the query, such as pool.md, docs/pool and
// ADR 12. A path from the root of the repository means that document alone.
func (r *Reader) Named(ctx context.Context, request Request) ([]string, error) {
	name := strings.TrimPrefix(strings.Trim(request.Question.Text, " \t\n`'\"<>"), "./")
	params := db.DocumentsNamedParams{
		ProjectID: request.Scope.Tenant.ProjectID, TenantID: request.Scope.Tenant.ID, Collection: request.Scope.Collection,
	}
	switch decision := decisionName.FindStringSubmatch(name); {
	case decision != nil:
		params.Path, params.Title = decisionPatterns(decision[1], decision[2])
	case isPath.MatchString(name):
		params.Path = `(^|/)` + regexp.QuoteMeta(name) + `(\.\w+)?$`
	default:
		return nil, nil
	}
	paths, err := db.ReadOne(ctx, r.db, "find documents by their names", (*db.Queries).DocumentsNamed, params)
	if len(paths) > 0 && strings.EqualFold(paths[0], name) { // the shortest
		paths = paths[:1]
	}
	return paths, err
}

var (
	// decisionName matches a document of a numbered series, such as ADR 12 and rfc-0007.
	decisionName = regexp.MustCompile(`(?i)^([a-z]{2,8})[-_ #]*0*(\d{1,6})$`)
	// isPath matches a word that has a part of a path, or the ending or several words of a file's name.
	isPath = regexp.MustCompile(`^\S*[\pL\d][-_./][\pL\d]\S*$`)
)

// decisionPatterns returns what the path and the title of a document of a series match, for PostgreSQL. The file or a
// folder has the series in its name.
func decisionPatterns(series, number string) (path string, title *string) {
	folder := series
	if strings.EqualFold(series, "adr") {
		folder = "(adr|decision)"
	}
	begin := "^" + series + `[-_ #]*0*` + number + `(\D|$)`
	return `(^|[^a-z])` + folder + `([^/]*/(.*/)?(` + series + `)?)?[-_ ]*0*` + number + `([-_. ][^/]*)?$`, &begin
}
