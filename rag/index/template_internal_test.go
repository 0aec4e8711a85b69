package index

import (
	"errors"
	"slices"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
)

// The second set was put aside while the patterns were written.
func TestCheckTemplate(t *testing.T) {
	t.Parallel()
	for set, titles := range map[string][2][]string{
		"first": {
			{
				"{{title}}", "{short title, representative of solved problem and found solution}", "ADR-{NNNN}: {title}", "<% tp.file.title %>",
				"{{date}} {{title}}", "[short title of solved problem and solution]",
			},
			{
				"Escape {{ in Helm charts", "GET /users/{id}", "/{id}", "[Runbook] Restart the pool", "Why {{title}} is empty in a template",
				"Use <details> for long logs",
			},
		},
		"second": {
			{
				`{{ replace .File.ContentBaseName "-" " " | title }}`, "RFC 0000: {title of the proposal}", "{{cookiecutter.project_name}}",
				"__TITLE__", "<short descriptive title>", "Incident {{ incident_number }}",
			},
			{
				"{}", "[WIP]", "Set<T> or List<T>", "${HOME} is empty in cron", "The {title} field in the API", "{{ }} delimiters in Go",
			},
		},
	} {
		for _, title := range slices.Concat(titles[0], titles[1]) {
			if got := errors.Is(checkTemplate(title), document.ErrLeftOut); got != slices.Contains(titles[0], title) {
				t.Errorf("%s set: %q is a template: %v", set, title, got)
			}
		}
	}
}
