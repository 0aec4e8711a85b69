package markdown

import (
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// codeOrHidden matches code, and text that a reader of the page does not see. If the end of such a part is missing, the
// match goes to the end of the text, so that a search takes time in proportion to the text.
var codeOrHidden = lazyregexp.New("(?ms)^[ \\t>]*(?:`{4,}.*?(?:^[ \\t>]*`{4}|\\z)" +
	"|```.*?(?:^[ \\t>]*```|\\z)|~~~.*?(?:^[ \\t>]*~~~|\\z))|`[^`\\n]+`" +
	`|^[ \t]*<!--.*?(?:-->|\z)|<!--(?:[^\n]|\n[^\n])*?(?:-->|\n\n|\z)` +
	`|^ {0,3}<(?i:script|style)(?:\s[^>]*)?>.*?(?:</(?i:script|style)>|\z)` +
	`|^[ \t]*%%(?:[^%]|%[^%])*%%[ \t]*$|\s%%(?:[^\s%](?:[^%\n]*[^\s%])?|[ \t][^%\n]*[ \t])%%`)

var endOfHidden = lazyregexp.New(`(?i)(?:-->|</(?:script|style)>|%%[ \t]*)$`)

// withoutHidden blanks text that a reader of the page does not see: HTML comments, scripts, styles, and comments of
// Obsidian, such as %%this%%. Code stays, and so does a comment that is never closed. Each line keeps its number.
func withoutHidden(lines []string, body int) []string {
	text := strings.Join(lines[body:], "\n")
	mayHide := func(mark string) bool { return strings.Contains(text, mark) }
	if !slices.ContainsFunc([]string{"<!--", "%%", "script>", "SCRIPT>", "style>", "STYLE>"}, mayHide) {
		return lines
	}
	text = codeOrHidden().ReplaceAllStringFunc(text, func(found string) string {
		start := strings.TrimLeft(found, " \t\n>")
		if strings.ContainsAny(start[:1], "`~") || !endOfHidden().MatchString(found) {
			return found
		}
		return newlines(found)
	})
	return slices.Concat(lines[:body], strings.Split(text, "\n"))
}
