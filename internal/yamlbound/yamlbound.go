// Package yamlbound decodes untrusted YAML in bounded time and memory. The YAML
// library's parser needs time and memory that grow with the square of the nesting
// and of the number of keys: 64 KiB of dashes take more than a gigabyte. So the
// limits are checked on the tokens, whose cost is proportional to the text. The
// package knows YAML; it must not know what a text is for.
package yamlbound

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Limits bounds a YAML text. Every limit must be set.
type Limits struct {
	// Depth is how deep collections may nest. A list that is indented like the
	// key above it counts as one level with the key's mapping.
	Depth int
	// Tokens is the largest number of words, quoted texts and marks, Keys that of
	// keys of mappings and Aliases that of *aliases.
	Tokens, Keys, Aliases int
	// Values and Text are the largest number of values, and of bytes in all keys and
	// texts, with every alias written out.
	Values, Text int
	// LineOffset is added to line numbers within messages, for a text that does not
	// begin on the first line of its file. It is not added to [Error.Line].
	LineOffset int
}

// maxProperties is the largest number of tokens for the anchor and the tag of one
// value. YAML allows one of each, and an anchor is two tokens.
const maxProperties = 4

// The largest numbers of consecutive empty lines and of consecutive <: the lexer's time,
// and for lines its memory, grow with their square.
const (
	maxGap  = 200
	maxLess = 200
)

// longRun returns the line on which the first run that is too long for the lexer
// exceeds its limit, and says what it is of. It returns 0 if there is none.
func longRun(text string) (line int, problem string) {
	line = 1
	gap, less := 0, 0
	for _, c := range []byte(text) {
		switch c {
		case '\n', '\r': // either ends a line
			line++
			gap, less = gap+1, 0
		case ' ', '\t':
			less = 0
		case '<':
			gap, less = 0, less+1
		default:
			gap, less = 0, 0
		}
		switch {
		case gap > maxGap:
			return line, fmt.Sprintf("there are more than %d empty lines in a row", maxGap)
		case less > maxLess:
			return line, fmt.Sprintf("there are more than %d characters < in a row", maxLess)
		}
	}
	return 0, ""
}

// Kind says what is wrong with a text.
type Kind int

const (
	// TooComplex says that the text exceeds a limit, so it is not parsed.
	TooComplex Kind = iota
	// BadSyntax says that the text is not YAML.
	BadSyntax
	// BadValue says that a value cannot be decoded.
	BadValue
)

// Error says what is wrong with a text, and where.
type Error struct {
	Line, Column int // 1-based
	Kind         Kind
	// Key is the path of the key that a BadValue is about, such as tags[1] or
	// contact.email; "" for the whole text.
	Key string
	// Problem is a clause: "it nests deeper than 32 levels". For a BadValue it lacks
	// its subject, which is Key or the text: "is given twice".
	Problem string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, strings.TrimSpace(e.Key+" "+e.Problem))
}

// Tokens splits a YAML text into tokens. The error is an *Error if they exceed the
// limits. The caller must bound the length of the text.
func Tokens(text string, limits Limits) (token.Tokens, error) {
	if line, problem := longRun(text); line > 0 {
		return nil, &Error{Line: line, Column: 1, Problem: problem}
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

// meter tracks the nesting and the counts of the tokens so far.
type meter struct {
	limits   Limits
	columns  []int // of the open block collections, ascending
	flow     int   // open brackets
	inFlow   int   // dashes and question marks inside brackets: the parser nests them
	keys     int   // colons and question marks of the text
	aliases  int   // of the text
	previous *token.Token

	properties int // tokens for anchor and tag of the current value
}

// add counts one more token. It returns what is wrong with it, or "".
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
	case token.SequenceEntryType:
		m.open(tk)
	case token.MappingKeyType: // a question mark; it may have no colon
		m.keys++
		m.open(tk)
	case token.MappingValueType:
		m.keys++
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
	if m.keys > m.limits.Keys {
		return fmt.Sprintf("there are more than %d keys", m.limits.Keys)
	}
	if len(m.columns)+m.flow > m.limits.Depth || m.inFlow > m.limits.Depth {
		return fmt.Sprintf("it nests deeper than %d levels", m.limits.Depth)
	}
	return ""
}

// open records that a block collection continues or begins at the token. Those that
// are indented deeper have ended. Inside brackets columns mean nothing.
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
