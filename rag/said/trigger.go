// Package said reads what a document says about itself: whether it is still valid, and which documents it replaces or
// amends. It also reads the places and names of code that a document cites, the texts that a document quotes, and the
// acts of an assistant before which a document wants to be shown.
//
// The functions are pure. They take a document that package markdown has parsed, or a part of such a document. The
// package must not know files, SQL, or the code that shows documents.
package said

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/compound-docs/compound-docs/rag/markdown"
)

// TriggersField is the field of the front matter that lists triggers.
const TriggersField = "triggers"

// Trigger says at which acts of an assistant a document wants to be shown. One of Run, Edit and Fails has patterns: for
// commands that are about to run, for edits, or for commands that have failed. docs/triggers.md describes the format.
type Trigger struct {
	Run   []string `json:"run,omitempty"`
	Edit  []string `json:"edit,omitempty"`
	Fails []string `json:"fails,omitempty"`
	// With and Without are conditions for all kinds of acts, Bare is for Run, and Writes, Removes and New are for Edit.
	With    []string `json:"with,omitempty"`
	Without []string `json:"without,omitempty"`
	Bare    bool     `json:"bare,omitempty"`
	Writes  []string `json:"writes,omitempty"`
	Removes []string `json:"removes,omitempty"`
	New     *bool    `json:"new,omitempty"`
	// Say is the sentence to show. If it is "", a sentence of the document is shown.
	Say string `json:"say,omitempty"`
	// Scope is the field or file name from which the function [Scope] made the trigger. It is "" for a trigger that the
	// document lists in TriggersField.
	Scope string `json:"scope,omitempty"`
}

// String returns the trigger in one line: the patterns, then the conditions.
func (t Trigger) String() string {
	var parts []string
	add := func(name string, patterns []string) {
		if len(patterns) > 0 {
			parts = append(parts, name+" "+strings.Join(patterns, " | "))
		}
	}
	add("run", t.Run)
	add("edit", t.Edit)
	add("fails", t.Fails)
	add("writes", t.Writes)
	add("removes", t.Removes)
	add("with", t.With)
	add("without", t.Without)
	if t.Bare {
		parts = append(parts, "bare")
	}
	if t.New != nil {
		parts = append(parts, map[bool]string{true: "new file", false: "file that is there"}[*t.New])
	}
	return strings.Join(parts, ", ")
}

// Fault is a mistake in a field of the front matter. Field is the path of the field, such as triggers[1].run.
type Fault struct{ Field, Problem, Expected string }

func (f Fault) String() string {
	return fmt.Sprintf("%s %s (expected: %s)", f.Field, f.Problem, f.Expected)
}

// Bounds of the triggers of a document, the patterns in a field, and the characters of a pattern. With more triggers, a
// document would be shown too often.
const (
	maxTriggers = 100
	maxPatterns = 500
	maxPattern  = 500
)

// Triggers reads the triggers in the front matter of a document. It returns all correct triggers, and all mistakes.
func Triggers(frontMatter map[string]any) ([]Trigger, []Fault) {
	value := frontMatter[TriggersField]
	if value == nil {
		return nil, nil
	}
	list, isList := value.([]any)
	if !isList {
		return nil, []Fault{{TriggersField, "is no list", "a list of triggers, such as - run: terraform apply -target"}}
	}
	if len(list) > maxTriggers {
		return nil, []Fault{{TriggersField, fmt.Sprintf("has %d triggers", len(list)), fmt.Sprintf("at most %d", maxTriggers)}}
	}
	var triggers []Trigger
	var faults []Fault
	for i, item := range list {
		t, wrong := triggerOf(item, fmt.Sprintf("%s[%d]", TriggersField, i))
		faults = append(faults, wrong...)
		if len(wrong) == 0 {
			triggers = append(triggers, t)
		}
	}
	return triggers, faults
}

// fields maps each field of a trigger to the only kind of trigger that can have the field, or to "" for all kinds.
var fields = map[string]string{
	"run": "run", "edit": "edit", "fails": "fails", "with": "", "without": "", "bare": "run",
	"writes": "edit", "removes": "edit", "new": "edit", "say": "",
}

const (
	expectedKind  = "one of run, edit, fails, such as run: terraform apply -target"
	expectedText  = "a text, or a list of texts, each of which may match"
	expectedFlag  = "true or false"
	expectedField = "run, edit or fails, with, without, bare, writes, removes, new, say"
)

// triggerOf reads one trigger. at is the path of the trigger in the front matter.
func triggerOf(item any, at string) (Trigger, []Fault) {
	given, isMap := item.(map[string]any)
	if !isMap {
		return Trigger{}, []Fault{{at, "is no trigger", expectedKind}}
	}
	kinds := slices.DeleteFunc([]string{"run", "edit", "fails"}, func(kind string) bool {
		_, isGiven := given[kind]
		return !isGiven
	})
	for _, name := range slices.Sorted(maps.Keys(given)) { // such as runs, which may be the missing kind
		if _, isKnown := fields[name]; !isKnown && len(kinds) == 0 {
			return Trigger{}, []Fault{{at + "." + name, "is unknown", expectedField}}
		}
	}
	if len(kinds) != 1 {
		return Trigger{}, []Fault{{at, fmt.Sprintf("has %d of run, edit, fails", len(kinds)), expectedKind}}
	}
	t := Trigger{}
	texts := map[string]*[]string{
		"run": &t.Run, "edit": &t.Edit, "fails": &t.Fails, "with": &t.With, "without": &t.Without,
		"writes": &t.Writes, "removes": &t.Removes,
	}
	var faults []Fault
	for _, name := range slices.Sorted(maps.Keys(given)) {
		field, value := at+"."+name, given[name]
		kind, isKnown := fields[name]
		flag, isFlag := value.(bool)
		text, isText := value.(string)
		switch {
		case !isKnown:
			faults = append(faults, Fault{field, "is unknown", expectedField})
		case kind != "" && kind != kinds[0]:
			faults = append(faults, Fault{field, "stands beside " + kinds[0], name + " is for " + kind})
		case texts[name] != nil:
			list, fault := patternsOf(value, field)
			*texts[name] = list
			faults = append(faults, fault...)
		case name == "bare" && isFlag:
			t.Bare = flag
		case name == "new" && isFlag:
			t.New = &flag
		case name == "say" && isText && strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= maxPattern:
			t.Say = markdown.OneLine(text)
		case name == "say":
			faults = append(faults, Fault{field, "is no short text", fmt.Sprintf("one sentence of at most %d characters", maxPattern)})
		default:
			faults = append(faults, Fault{field, fmt.Sprintf("is %v", value), expectedFlag})
		}
	}
	return t, faults
}

// patternsOf reads the patterns in a field, which has a text or a list of texts.
func patternsOf(value any, field string) ([]string, []Fault) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	if len(list) == 0 || len(list) > maxPatterns {
		return nil, []Fault{{field, fmt.Sprintf("has %d texts", len(list)), fmt.Sprintf("1 to %d", maxPatterns)}}
	}
	var patterns []string
	for i, item := range list {
		at := field
		if isList {
			at = fmt.Sprintf("%s[%d]", field, i)
		}
		switch item := item.(type) {
		case string:
			if markdown.OneLine(item) == "" || utf8.RuneCountInString(item) > maxPattern {
				return nil, []Fault{{at, "is empty or too long", fmt.Sprintf("a text of 1 to %d characters", maxPattern)}}
			}
			patterns = append(patterns, markdown.OneLine(item))
		case nil:
			return nil, []Fault{{at, "is empty", expectedText}}
		case int, uint64, float64: // a port or an error code
			patterns = append(patterns, fmt.Sprint(item))
		default:
			return nil, []Fault{{at, fmt.Sprintf("is %v", item), expectedText}}
		}
	}
	return patterns, nil
}

// scopeFields are the fields, in lower case, in which rules for assistants name the files to which the rules apply.
// They come from Claude Code, Cursor, Copilot, Kiro, and tools for decisions.
var scopeFields = []string{"paths", "globs", "applyto", "filematchpattern", "affects"}

// Scope returns a trigger for edits of the files that a document is about. An AGENTS.md or CLAUDE.md below the root is
// about its folder. Any other document names files in one of the scopeFields or in filesField. In filesField only
// patterns such as *.go count, not single files. If nothing names files, Scope returns nil.
func Scope(file string, frontMatter map[string]any, filesField string) []Trigger {
	if name := path.Base(file); (name == "AGENTS.md" || name == "CLAUDE.md") && path.Dir(file) != "." {
		return []Trigger{{Edit: []string{path.Dir(file) + "/**"}, Scope: name}}
	}
	for _, name := range slices.Sorted(maps.Keys(frontMatter)) {
		isScope := slices.Contains(scopeFields, strings.ToLower(name))
		patterns := scopePatterns(frontMatter[name])
		if name == filesField {
			isScope = true
			patterns = slices.DeleteFunc(patterns, func(pattern string) bool { return !strings.ContainsAny(pattern, "*?[{") })
		}
		if isScope && len(patterns) > 0 {
			return []Trigger{{Edit: patterns[:min(len(patterns), maxPatterns)], Scope: name}}
		}
	}
	return nil
}

// scopePatterns reads a list of patterns, or a text with commas between them. Commas in braces belong to a pattern.
func scopePatterns(value any) []string {
	var patterns []string
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			patterns = append(patterns, scopePatterns(item)...)
		}
	case string:
		depth := 0
		isSeparator := func(r rune) bool {
			switch r {
			case '{':
				depth++
			case '}':
				depth--
			}
			return r == ',' && depth <= 0 || r == '\n'
		}
		for part := range strings.FieldsFuncSeq(value, isSeparator) {
			part = strings.Trim(part, " \t\"'[]")
			if part != "" && utf8.RuneCountInString(part) <= maxPattern {
				patterns = append(patterns, part)
			}
		}
	}
	return patterns
}
