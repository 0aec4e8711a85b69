package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

// The schemas check the arguments of clients. Commands call the methods of [Handler] without
// a schema, so these functions check the same for both. Arguments that were not given pass. Empty
// names need no check: nothing has such a name.

// maxQuery bounds a query, in characters. An embedding model reads about 2,000.
const maxQuery = 10_000

// maxCount bounds how many results or sources may be asked for.
const maxCount = 100

// checkQuery returns an error if the query is blank or too long.
func checkQuery(text string) error {
	const remedy = `give what to look for, for example "connection pool exhausted"`
	if strings.TrimSpace(text) == "" {
		return refuse("query", "is empty", remedy)
	}
	if len([]rune(text)) > maxQuery {
		return refuse("query", "is too long", fmt.Sprintf("give text of at most %d characters", maxQuery))
	}
	return nil
}

func checkCount(parameter string, count *int, example int) error {
	if count == nil || *count >= 1 && *count <= maxCount {
		return nil
	}
	return refuse(parameter, fmt.Sprintf("is %d", *count),
		fmt.Sprintf("give a whole number, minimum 1, maximum %d, for example %d", maxCount, example))
}

func checkScore(score *float64, example float64) error {
	if score == nil || *score >= 0 && *score <= 1 { // NaN is neither
		return nil
	}
	return refuse("min_relevance_score", fmt.Sprintf("is %g", *score),
		fmt.Sprintf("give a number, minimum 0, maximum 1, for example %g", example))
}

func checkOneOf[T ~string](parameter string, value T, allowed []T, example T) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	names := make([]string, len(allowed))
	for i, name := range allowed {
		names[i] = string(name)
	}
	return refuse(parameter, fmt.Sprintf("is %q", brief(string(value))),
		fmt.Sprintf("give one of %s, for example %q", strings.Join(names, ", "), example))
}

func checkLevel(parameter string, level, example catalog.Level) error {
	return checkOneOf(parameter, level, catalog.Levels(), example)
}

func checkMode(mode rag.Mode) error { return checkOneOf("mode", mode, rag.Modes(), rag.Hybrid) }

// refuse returns the error of an argument.
func refuse(parameter, problem, remedy string) error {
	return apierror.Errorf(apierror.InvalidArgument, "%s %s; %s", parameter, problem, remedy).With("parameter", parameter)
}
