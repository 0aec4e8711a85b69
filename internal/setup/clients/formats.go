package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

// entry is a server's entry in a JSON file. Its keys have the order of the clients' documentation.
type entry struct {
	Type    string            `json:"type,omitempty"`
	Command any               `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Enabled bool              `json:"enabled,omitempty"`
}

// local is the type of an entry of OpenCode. Such an entry has the arguments in the command.
const local = "local"

func entryOf(kind string, s startCommand) entry {
	if kind == local {
		return entry{Type: kind, Command: append([]string{s.command}, s.args...), Enabled: true}
	}
	return entry{Type: kind, Command: s.command, Args: s.args, Env: s.environment}
}

var errOtherwise = errors.New("its form allows no safe addition")

// addServer returns the content of a JSON file with the server added to a section. Everything else stays as it is,
// comments too.
func addServer(content []byte, section, kind string, s startCommand) ([]byte, error) {
	present, err := decodeJSON(content)
	if err != nil {
		return nil, err
	}
	servers, ok := present[section].(map[string]any)
	if !ok && present[section] != nil {
		return nil, fmt.Errorf("%s is not a group of servers", section)
	}
	if known := servers[ServerName]; known != nil {
		if !strings.Contains(fmt.Sprint(known), ServerName) { // the file may come with a hostile repository
			return nil, fmt.Errorf("its entry %s starts another program: %.100v", ServerName, known)
		}
		return nil, ErrRegistered
	}
	return insertJSON(content, []string{section, ServerName}, entryOf(kind, s))
}

// maxNested bounds nested brackets, because the time of parsers grows with their square.
const maxNested = 200

var errNested = fmt.Errorf("it has more than %d brackets inside each other", maxNested)

// nested returns the deepest nesting of brackets in a text. Brackets in strings count too.
func nested(content []byte) int {
	open, most := 0, 0
	for _, c := range content {
		switch c {
		case '[', '{':
			open++
			most = max(most, open)
		case ']', '}':
			open--
		}
	}
	return most
}

// parseJSON parses a file that may have comments and trailing commas. It refuses an object with the same key twice,
// because clients differ in which of the two counts.
func parseJSON(content []byte) (hujson.Value, error) {
	if nested(content) > maxNested {
		return hujson.Value{}, errNested
	}
	if len(bytes.TrimSpace(content)) == 0 {
		content = []byte("{}\n")
	}
	file, err := hujson.Parse(bytes.Clone(content))
	if err != nil {
		return file, fmt.Errorf("read as JSON: %w", err)
	}
	for value := range file.All() {
		object, ok := value.Value.(*hujson.Object)
		if !ok {
			continue
		}
		keys := map[string]bool{}
		for _, member := range object.Members {
			literal, _ := member.Name.Value.(hujson.Literal) // hujson promises this type
			key := literal.String()
			if keys[key] {
				return file, fmt.Errorf("read as JSON: it has the key %.100q twice in one object", key)
			}
			keys[key] = true
		}
	}
	return file, nil
}

func decodeJSON(content []byte) (map[string]any, error) {
	file, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	file.Standardize()
	decoder := json.NewDecoder(bytes.NewReader(file.Pack()))
	decoder.UseNumber()
	var decoded map[string]any
	if err := decoder.Decode(&decoded); err != nil || decoded == nil {
		return nil, errors.New("read as JSON: it is not an object")
	}
	return decoded, nil
}

// atEnd is the last key in a JSON pointer to the end of a list.
const atEnd = "-"

// insertJSON adds a value to a JSON text at a path of keys. It also adds objects or lists that are missing above it.
func insertJSON(content []byte, keys []string, last any) ([]byte, error) {
	file, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	unit := indentOf(content)
	for depth := range keys {
		value := any(struct{}{})
		switch {
		case depth == len(keys)-1:
			value = last
		case file.Find(pointer(keys[:depth+1])) != nil:
			continue
		case keys[depth+1] == atEnd:
			value = []any{}
		}
		if err := add(&file, keys[:depth+1], value, unit); err != nil {
			return nil, err
		}
	}
	return file.Pack(), nil
}

var firstIndent = regexp.MustCompile(`(?m)^([ \t]+)"`)

// indentOf returns the characters of one level of indentation in a file.
func indentOf(content []byte) string {
	if found := firstIndent.FindSubmatch(content); found != nil {
		return string(found[1])
	}
	return "  "
}

// pointer returns a JSON pointer. It escapes nothing, because no key here needs it.
func pointer(keys []string) string { return strings.Join(append([]string{""}, keys...), "/") }

// add adds a value at the end of its object or list, on a new line.
func add(file *hujson.Value, keys []string, value any, unit string) error {
	outside := "\n" + strings.Repeat(unit, len(keys)-1)
	inside := outside + unit
	text, err := json.MarshalIndent(value, inside[1:], unit)
	if err != nil {
		return fmt.Errorf("add %s: %w", keys[len(keys)-1], err)
	}
	// Patch knows where commas and comments go.
	patch := fmt.Appendf(nil, `[{"op": "add", "path": %q, "value": %s}]`, pointer(keys), text)
	if err := file.Patch(patch); err != nil {
		return fmt.Errorf("add %s: %w", keys[len(keys)-1], err)
	}
	var before, after *hujson.Extra
	switch parent := file.Find(pointer(keys[:len(keys)-1])).Value.(type) {
	case *hujson.Object:
		member := &parent.Members[len(parent.Members)-1]
		member.Value.BeforeExtra = hujson.Extra(" ")
		before, after = &member.Name.BeforeExtra, &parent.AfterExtra
	case *hujson.Array:
		before, after = &parent.Elements[len(parent.Elements)-1].BeforeExtra, &parent.AfterExtra
	default:
		return errOtherwise
	}
	*before = hujson.Extra(strings.TrimRight(string(*before), " \t\n") + inside)
	if !bytes.Contains(*after, []byte("\n")) {
		*after = append(*after, outside...)
	}
	return nil
}

// paragraph tells the model when to use the server. It is for files that every session reads.
const paragraph = `## Project memory

The MCP server compound-docs searches what this project has learned. Before you investigate an error or choose a
design, ask its tool semantic_search. When you have found out what code and tests do not say, extend the document
that is near or write one, and index it with index_document.
`

// addParagraph adds the paragraph to the end of a file. The error is [ErrRegistered] if the file names the server.
func addParagraph(content []byte) ([]byte, error) {
	if bytes.Contains(content, []byte(ServerName)) {
		return nil, ErrRegistered
	}
	text := string(content)
	if text != "" {
		text = strings.TrimSuffix(text, "\n") + "\n\n"
	}
	return []byte(text + paragraph), nil
}
