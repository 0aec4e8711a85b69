// Package yamlbound refuses YAML that is small to store and huge to parse. The
// parser's time and memory grow with the square of the nesting and of the number
// of keys, so that 64 KiB of dashes take more than a gigabyte. Both are measured
// on the tokens, which take time and memory in proportion to the text. The
// package knows YAML's tokens; it must not know what the text is for.
package yamlbound

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Limits bound a YAML text.
type Limits struct {
	// Depth is how deep collections may nest. A list that is indented like the
	// key above it counts as one level with the key's mapping.
	Depth int
	// Tokens is how many words, quoted texts and marks there may be, Keys how many
	// keys of mappings and Aliases how many *aliases.
	Tokens, Keys, Aliases int
}

// maxProperties is how many anchors and tags one value may have. YAML knows one
// of each, and an anchor is two tokens.
const maxProperties = 4

// maxGap is how many empty lines there may be in a row: the time and memory that
// the lexer takes for them in a text of several lines grow with their square.
const maxGap = 200

// longGap returns the line in which more than maxGap empty ones end, or 0.
func longGap(text string) int {
	line, gap := 1, 0
	for _, c := range []byte(text) {
		switch c {
		case '\n', '\r': // either ends a line
			line++
			if gap++; gap > maxGap {
				return line
			}
		case ' ', '\t':
		default:
			gap = 0
		}
	}
	return 0
}

// Error says where a text exceeds the limits.
type Error struct {
	Line, Column int // 1-based
	Problem      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// Tokens splits a YAML text into tokens, and returns an *Error if they exceed the
// limits. The caller bounds the length of the text.
func Tokens(text string, limits Limits) (token.Tokens, error) {
	if line := longGap(text); line > 0 {
		return nil, &Error{Line: line, Column: 1, Problem: fmt.Sprintf("there are more than %d empty lines in a row", maxGap)}
	}
	tokens := lexer.Tokenize(text)
	m := meter{limits: limits}
	for i, tk := range tokens {
		if problem := m.add(tk, i); problem != "" {
			e := &Error{Line: 1, Column: 1, Problem: problem}
			if tk.Position != nil {
				e.Line, e.Column = tk.Position.Line, tk.Position.Column
			}
			return nil, e
		}
	}
	return tokens, nil
}

// meter follows the nesting of the tokens seen so far.
type meter struct {
	limits Limits
	// columns are where the block collections begin that are open, rising.
	columns []int
	// flow is how many brackets are open.
	flow int
	// keys and aliases count those of the text, properties those of the present
	// value, and inFlow the dashes and question marks inside brackets, which the
	// parser nests.
	keys, aliases, properties, inFlow int
	previous                          *token.Token
}

// add returns what is wrong with one more token, or "".
func (m *meter) add(tk *token.Token, index int) string {
	defer func() { m.previous = tk }()
	if index >= m.limits.Tokens {
		return fmt.Sprintf("there are more than %d words and marks", m.limits.Tokens)
	}
	switch tk.Type { //nolint:exhaustive // the others neither nest nor repeat
	case token.SequenceStartType, token.MappingStartType:
		m.flow++
	case token.SequenceEndType, token.MappingEndType:
		m.flow = max(m.flow-1, 0)
	case token.SequenceEntryType, token.MappingKeyType:
		m.open(tk)
	case token.MappingValueType:
		if m.keys++; m.keys > m.limits.Keys {
			return fmt.Sprintf("there are more than %d keys", m.limits.Keys)
		}
		m.open(m.previous)
	case token.AliasType:
		if m.aliases++; m.aliases > m.limits.Aliases {
			return fmt.Sprintf("there are more than %d aliases; write the values out", m.limits.Aliases)
		}
	}
	switch {
	case tk.Type == token.AnchorType || tk.Type == token.TagType:
		if m.properties++; m.properties > maxProperties {
			return "a value has several anchors or tags"
		}
	case m.previous != nil && m.previous.Type == token.AnchorType: // the anchor's name
	default:
		m.properties = 0
	}
	if len(m.columns)+m.flow > m.limits.Depth || m.inFlow > m.limits.Depth {
		return fmt.Sprintf("it nests deeper than %d levels", m.limits.Depth)
	}
	return ""
}

// open notes that a block collection goes on, or begins, at the token. What is
// indented deeper has ended. Brackets know no columns.
func (m *meter) open(tk *token.Token) {
	if tk == nil || tk.Position == nil {
		return
	}
	if m.flow > 0 {
		if tk.Type == token.SequenceEntryType || tk.Type == token.MappingKeyType {
			m.inFlow++
		}
		return
	}
	column := tk.Position.Column
	for len(m.columns) > 0 && m.columns[len(m.columns)-1] > column {
		m.columns = m.columns[:len(m.columns)-1]
	}
	if len(m.columns) == 0 || m.columns[len(m.columns)-1] < column {
		m.columns = append(m.columns, column)
	}
}
