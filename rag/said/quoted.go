package said

import (
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

var (
	quotedName = lazyregexp.New(`^[*&@$]?([A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)*)(?:\s?\(.*\)|!|\s?=.*)?;?$`)
	route      = lazyregexp.New(`^(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD)\s+)?(/[^\s?]*[^\s?/])/?(?:\?\S*)?$`)
	routePart  = lazyregexp.New(`\{[^}/]*\}|<[^>/]*>|\[[^\]/]*\]|(^|/):[^/]+`)
	longFlag   = regexp.MustCompile(`^--[a-z][a-z0-9]*(?:-[a-z0-9]+)+`)
)

// Names returns names of code from the texts that a document quotes. A text may be a name as a whole, such as
// Pool.Close, or a route, such as /users/{}. From any other text, Names takes the long flags, such as --dry-run.
func Names(quotes []string) []string {
	var names []string
	for _, text := range quotes {
		if found := quotedName().FindStringSubmatch(text); found != nil {
			names = append(names, found[1])
			continue
		}
		if key := RouteKey(text); key != "" {
			names = append(names, key)
			continue
		}
		for word := range strings.FieldsSeq(text) {
			if flag := LongFlag(word); flag != "" {
				names = append(names, flag)
			}
		}
	}
	return names
}

// RouteKey returns a route in lower case, without method, and with {} for each parameter. It returns "" for any other
// text, and for a route of one part, such as /users.
func RouteKey(text string) string {
	found := route().FindStringSubmatch(text)
	if found == nil || strings.Count(found[1], "/") < 2 {
		return ""
	}
	return strings.ToLower(routePart().ReplaceAllString(found[1], "$1{}"))
}

// LongFlag returns the flag at the beginning of a text, such as --dry-run. It returns "" for a flag of one word.
func LongFlag(text string) string { return longFlag.FindString(text) }

// Messages returns the quoted texts that a program may have printed: texts with at least three words and without flags.
// A text with flags is a command.
func Messages(quotes []string) []string {
	const fewest = 3
	return slices.DeleteFunc(slices.Clone(quotes), func(text string) bool {
		words := strings.Fields(text)
		isFlag := func(word string) bool { return len(word) > 1 && word[0] == '-' && word[1] != '>' }
		return len(words) < fewest || slices.ContainsFunc(words, isFlag)
	})
}
