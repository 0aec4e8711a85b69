package index

import (
	"fmt"
	"strings"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/apierror"
)

var (
	// placeholder matches text that an author or a program must fill in: {{title}}, <% tp.file.title %>, __TITLE__, and a
	// bracket such as {short title of the problem}.
	placeholder = lazyregexp.New(`\{\{.+?\}\}|<%.+?%>|\b__[A-Z_]+__\b|` +
		`[{<\[][^{}<>\[\]]*(?i:\b(?:title|name|number|subject)\b|NNNN|YYYY)[^{}<>\[\]]*[}>\]]`)
	// besidePlaceholders matches the rest of a template's title without the placeholders, such as ADR or a number.
	besidePlaceholders = lazyregexp.New(`(?i)^(adr|rfc|incident|postmortem|decision|runbook|meeting|[\d\W_]+)*$`)
)

// checkTemplate returns a [document.ErrLeftOut] for the title of a template, and nil for any other title.
func checkTemplate(title string) error {
	rest := placeholder().ReplaceAllString(title, " ")
	if rest == title || !besidePlaceholders().MatchString(strings.TrimSpace(rest)) {
		return nil
	}
	return &apierror.Error{
		Code: apierror.SchemaValidationFailed,
		Err:  fmt.Errorf("%w: its title, %q, is that of a template", document.ErrLeftOut, title),
	}
}
