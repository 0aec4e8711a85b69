package hooks

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/hooks/quoted"
	"github.com/compound-docs/compound-docs/internal/hooks/trigger"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/rag/index"
)

// onCommand returns the documents whose triggers match a command, then documents for the files that the command writes.
func (p Project) onCommand(ctx context.Context, e Event) ([]candidate, error) {
	line := e.line()
	book, err := p.Heard(ctx, line.Cues())
	if err != nil {
		return nil, err
	}
	found, err := p.triggered(ctx, book, book.Triggers.Run(line), "for this command")
	if err != nil {
		return nil, err
	}
	written, err := p.onEdits(ctx, e, relative(line.Writes, p.Root, e.Folder))
	return append(found, written...), err
}

// onFailure returns the documents whose triggers match the output of a failed command, and then the documents that
// quote a line of the output. It sets the remedy of each candidate.
func (p Project) onFailure(ctx context.Context, e Event) ([]candidate, error) {
	output := strings.ToValidUTF8(e.Error[max(0, len(e.Error)-maxText):], "")
	// Colour codes and the line with the exit code are not part of an error message.
	output = strings.TrimSpace(exitCode().ReplaceAllString(escapes().ReplaceAllString(output, ""), ""))
	book, err := p.Heard(ctx, []string{trigger.FailCue})
	if err != nil {
		return nil, err
	}
	found, err := p.triggered(ctx, book, book.Triggers.Fails(output, e.line()), "for this failure")
	if err != nil {
		return nil, err
	}
	book = p.Book(ctx)
	quoting := book.Messages().In(output)
	for _, m := range quoting[:min(len(quoting), maxCandidates)] {
		more, err := p.passage(ctx, book.Documents[m.Document], candidate{quote: m.Text, why: "same error"})
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	for i, c := range found {
		found[i].remedy = cmp.Or(c.remedy, p.remedyFor(c))
	}
	return found, nil
}

// onEdits returns the documents for edits of files. For each edit, the order is: documents whose trigger matches,
// documents that cite the file, documents that name a definition in the file, and documents whose scope has the file.
// If the file is itself a document, only triggers and scopes count.
func (p Project) onEdits(ctx context.Context, e Event, edits []trigger.Edit) ([]candidate, error) {
	var found []candidate
	for _, edit := range edits {
		if edit.Path == "" {
			continue
		}
		edit.Creates = edit.Creates || !p.Exists(edit.Path)
		if edit.Old == "" && !edit.Creates && e.NewString == "" {
			edit.Old = p.Text(edit.Path) // the edit replaces the whole file
		}
		var script trigger.Line
		isNamed := slices.Contains([]string{".sh", ".bash", ".zsh", ".mk"}, path.Ext(edit.Path)) || path.Base(edit.Path) == "Makefile"
		if isNamed || strings.HasPrefix(edit.New, "#!") {
			script = trigger.Read(edit.New, "")
		}
		cues := slices.Concat(trigger.FileCues(edit.Path), script.Cues())
		for _, former := range p.Former(ctx, edit.Path) {
			cues = append(cues, trigger.FileCues(former)...)
		}
		book, err := p.Heard(ctx, cues)
		if err != nil {
			return nil, err
		}
		matches := append(book.Triggers.Edit(edit), book.Triggers.Run(script)...)
		declared, err := p.triggered(ctx, book, matches, "for this edit")
		if err != nil {
			return nil, err
		}
		scoped, err := p.scoped(ctx, e, book, edit)
		if err != nil {
			return nil, err
		}
		if p.IsDocument(edit.Path) {
			found = slices.Concat(found, declared, scoped)
			continue
		}
		citing, err := p.citing(ctx, book.Documents, edit.Path)
		if err != nil {
			return nil, err
		}
		named, err := p.naming(ctx, edit.Path, edit.New)
		if err != nil {
			return nil, err
		}
		found = slices.Concat(found, declared, citing, named, scoped)
	}
	return found, nil
}

const (
	// maxTriggered is how many matching triggers become candidates. Hooks skip documents that the session already knows.
	maxTriggered = 6
	// widestScope is the largest share of the project's files that a rule's scope may have. Wider rules are left out.
	widestScope = 1. / 3
)

// triggered returns the documents of matching triggers. Critical documents come first, then documents with a longer
// trigger, then newer documents. The text why becomes the reason of each candidate.
func (p Project) triggered(ctx context.Context, book *quoted.Book, matches []trigger.Match, why string) ([]candidate, error) {
	slices.SortStableFunc(matches, func(a, b trigger.Match) int {
		first, second := book.Documents[a.Document], book.Documents[b.Document]
		rank := func(d index.CitedPlaces) int {
			if d.Level == catalog.Critical {
				return 0
			}
			return 1
		}
		return cmp.Or(rank(first)-rank(second), b.Literal-a.Literal, cmp.Compare(second.Date, first.Date))
	})
	var found []candidate
	for _, m := range matches[:min(len(matches), maxTriggered)] {
		c := candidate{quote: m.Text, why: why, rule: m.Rule, remedy: m.Say}
		more, err := p.passage(ctx, book.Documents[m.Document], c)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// scoped returns the documents whose scope has the edited file, the narrowest scope first. A scope is the set of files
// for which a rule is written. Three kinds of rules are left out: rules that the assistant loads by itself, rules with
// a scope wider than widestScope, and copies of an earlier rule, such as AGENTS.md beside CLAUDE.md.
func (p Project) scoped(ctx context.Context, e Event, book *quoted.Book, edit trigger.Edit) ([]candidate, error) {
	var found []candidate
	matches := book.Triggers.Scopes(edit.Path)
	if slices.ContainsFunc(matches, func(m trigger.Match) bool { return book.Documents[m.Document].Path == edit.Path }) {
		return nil, nil // the edit of a rule needs no other rule
	}
	for _, m := range matches {
		d := book.Documents[m.Document]
		if len(found) == maxCandidates || loads(e.Client, d.Path, edit.Creates) || p.Share(ctx, m.Patterns) > widestScope {
			continue
		}
		more, err := p.passage(ctx, d, candidate{why: "its scope " + m.Text + " has this file", rule: m.Rule, scope: true})
		if err != nil {
			return nil, err
		}
		isSame := func(other candidate) bool { return other.Content == more[0].Content }
		if len(more) > 0 && !slices.ContainsFunc(found, isSame) {
			found = append(found, more...)
		}
	}
	return found, nil
}

// naming returns the documents that name a definition in a file, or in a text that an edit writes to the file.
func (p Project) naming(ctx context.Context, file, text string) ([]candidate, error) {
	text = p.Text(file) + "\n" + text
	if strings.TrimSpace(text) == "" { // for example, a log that a command will create
		return nil, nil
	}
	var found []candidate
	book := p.Book(ctx)
	named := book.Names().In(file, text)
	for _, m := range named[:min(len(named), maxCandidates)] {
		more, err := p.passage(ctx, book.Documents[m.Document], candidate{quote: m.Text, why: "names " + m.Text})
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}
