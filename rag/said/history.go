package said

import (
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

var (
	// historyPath matches the path of a changelog, of release notes, and of a folder of them.
	historyPath = lazyregexp.New(`(?i)(?:^|/)(?:(?:changes|change[-_ ]?logs?|release[-_ ]?notes?|news[-_ ]?fragments)/` +
		`|(?:change[-_ ]?log|changes|history|news|release[-_ ]?notes?|what'?s[-_ ]?new)(?:[-_. ]v?\d[^/]*)?\.\w+$)`)
	// versionHeading matches a heading that is a version, with or without its day.
	versionHeading = lazyregexp.New(`(?i)^(?:version |release )?\[?v?\d+\.\d+[\w.+-]*\]?(?:$|\W.*\b\d{4}\b)`)
)

// isHistory reports whether a document tells what has changed over time, by its path or because most of its sections
// are versions.
func isHistory(document *markdown.Document, file string) bool {
	if historyPath().MatchString(file) {
		return true
	}
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
