package said

import (
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

var (
	// archivePath matches a path in an archive. proposalPath matches the path of a change that OpenSpec proposes.
	archivePath  = lazyregexp.New(`(?i)(?:^|/)(?:_?archived?|attic)/`)
	proposalPath = lazyregexp.New(`(?:^|/)openspec/changes/`)
	// historyPath matches the path of a changelog or of release notes, which may be a file or a folder.
	historyPath = lazyregexp.New(`(?i)(?:^|/)(?:(?:changes|change[-_ ]?logs?|release[-_ ]?notes?|news[-_ ]?fragments)/` +
		`|(?:change[-_ ]?log|changes|history|news|log|release[-_ ]?notes?|what'?s[-_ ]?new)(?:[-_. ]v?\d[^/]*)?\.\w+$)`)
	// versionHeading matches a heading that is a version, such as "v1.2.0" or "1.2.0 (2026-01-31)".
	versionHeading = lazyregexp.New(`(?i)^(?:version |release )?\[?v?\d+\.\d+[\w.+-]*\]?(?:$|\W.*\b\d{4}\b)`)
)

// statusOfPath returns the status that the path and the form of a document imply, "" for none. A document in an archive
// is deprecated, and a change of OpenSpec is proposed. A changelog has the status history, and so has the index of a
// bundle in the Open Knowledge Format.
func statusOfPath(document *markdown.Document, file string) string {
	switch {
	case archivePath().MatchString(file):
		return "deprecated"
	case proposalPath().MatchString(file):
		return "proposed"
	case historyPath().MatchString(file), document.FrontMatter["okf_version"] != nil, hasVersions(document):
		return "history"
	default:
		return ""
	}
}

// hasVersions reports whether at least half of the sections of a document, and at least two, have a version as heading.
func hasVersions(document *markdown.Document) bool {
	versions, level, sections := 0, 0, 0
	for _, h := range document.Headlines() {
		isVersion := versionHeading().MatchString(h.Text)
		if isVersion && level == 0 {
			level, sections = h.Level, 0
		}
		if h.Level == level || level == 0 {
			sections++
		}
		if isVersion && h.Level == level {
			versions++
		}
	}
	return versions > 1 && 2*versions >= sections
}
