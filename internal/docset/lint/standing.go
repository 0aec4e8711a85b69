package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/docset"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/said"
)

// checkStandings finds documents with an unclear or incomplete status, and critical documents that no longer apply.
func (e *examination) checkStandings() {
	unknown := map[string][]*docset.Document{}
	var words []string // the keys of unknown, in the order of the documents
	today := catalog.Today()
	for _, d := range e.set.Documents {
		if d.Err != nil {
			continue
		}
		if word := strings.ToLower(d.Status.Unknown); word != "" && len(d.Status.Relations) == 0 {
			if unknown[word] == nil {
				words = append(words, word)
			}
			unknown[word] = append(unknown[word], d)
		}
		standing := e.standings.Of(d.Path, today)
		e.checkSuccessors(d, standing)
		if d.Level == catalog.Critical && !standing.Holds() {
			e.addRule(d, standing)
		}
	}
	for _, word := range words {
		d, others := unknown[word][0], ""
		if more := len(unknown[word]) - 1; more > 0 {
			others = fmt.Sprintf(" (also in %d more)", more)
		}
		e.add(d, statusLine(d), Notice, "unknown-status", fmt.Sprintf("the status %q%s is not known, and counts as active; "+
			"known are accepted, proposed, rejected, deprecated, and superseded by another document", d.Status.Unknown, others))
	}
}

// checkNumbers finds decisions of one folder that have the same number, except translations such as 0012-cache.de.md.
func (e *examination) checkNumbers() {
	first := map[string]*docset.Document{}
	for _, d := range e.set.Documents {
		other := first[d.Number]
		switch {
		case d.Number == "" || d.Status.Word == "":
		case other == nil:
			first[d.Number] = d
		case strings.Split(other.Path, ".")[0] != strings.Split(d.Path, ".")[0]:
			e.add(d, 1, Error, "ambiguous-number",
				other.Path+" has the same number, so neither can be named by it; give one another number")
		}
	}
}

// checkSuccessors checks which documents replace d, and whether d itself says that it is replaced.
func (e *examination) checkSuccessors(d *docset.Document, standing catalog.Standing) {
	var latest []string // the last document of each chain of successors
	for _, later := range e.standings.Replacing[d.Path] {
		if end := e.standings.Latest(later); !slices.Contains(latest, end) {
			latest = append(latest, end)
		}
	}
	says := d.Status.Word == string(catalog.Replaced)
	for _, target := range d.Targets {
		says = says || target.Relation == said.SupersededBy
	}
	switch by := standing.SupersededBy; {
	case len(latest) > 0 && by == "":
		e.add(d, statusLine(d), Error, "supersession-cycle",
			"documents supersede each other in a circle, so none replaces another; remove one `supersedes` or `superseded by`")
	case len(latest) > 1:
		e.add(d, statusLine(d), Notice, "two-successors", fmt.Sprintf(
			"%s supersede it, and only %s is named as its successor; let one of them supersede the other",
			strings.Join(latest, " and "), by))
	case by != "" && !says:
		e.add(d, statusLine(d), Notice, "unmarked", fmt.Sprintf(
			"%s supersedes it, and it does not say so; add the line `status: superseded by %s` to its front matter",
			by, said.Destination(d.Path, by)))
	case standing.Status == catalog.Replaced && by == "" && !slices.ContainsFunc(d.Targets, isMissingSuccessor):
		e.add(d, statusLine(d), Warning, "no-successor",
			"its status says superseded, and no document is known that supersedes it; write `status: superseded by` and its path")
	}
}

// isMissingSuccessor reports whether target is a successor that does not exist. checkLinks reports such a broken link.
func isMissingSuccessor(target docset.Target) bool {
	return target.Relation == said.SupersededBy && target.Missing
}

// addRule adds a finding for a critical document that no longer applies.
func (e *examination) addRule(d *docset.Document, standing catalog.Standing) {
	remedy := "so it is no rule any more; remove its promotion_level"
	why := "its status is " + string(standing.Status)
	switch {
	case standing.SupersededBy != "":
		why, remedy = standing.SupersededBy+" supersedes it", remedy+", and make that one critical if it is a rule"
	case standing.Status == catalog.Expired && standing.Until != "":
		why, remedy = "it expired "+standing.Until, remedy+", or give it a later day"
	}
	e.add(d, d.LineOfField("promotion_level"), Warning, "superseded-rule", why+", "+remedy)
}

// statusLine returns the line of the field status, superseded_by or supersedes, or of a section Status, or 1.
func statusLine(d *docset.Document) int {
	for _, field := range []string{"status", "superseded_by", "supersedes"} {
		if line := d.LineOfField(field); line > 1 {
			return line
		}
	}
	if at := statusHeading.FindIndex(d.Content); at != nil {
		return 1 + strings.Count(string(d.Content[:at[0]]), "\n")
	}
	return 1
}

// statusHeading matches the beginning of a section Status, or of a line with the status.
var statusHeading = regexp.MustCompile(`(?im)^(?:#+|[-*+|])?[ \t]*[*_]{0,2}(?:(?:adr|decision) )?status\b`)
