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

// openCodeKind is the type of an OpenCode entry. In such an entry, command is a list: the program and its arguments.
const openCodeKind = "local"

// addServer returns the content of a JSON file with the server added to a section. It changes nothing else.
func addServer(content []byte, section string, added entry) ([]byte, error) {
	present, err := decodeJSON(content)
	if err != nil {
		return nil, err
	}
	servers, _ := present[section].(map[string]any)
	known := servers[ServerName]
	for _, server := range servers { // Claude Code uses Copilot CLI's file too, perhaps with another name of the server
		if entry, _ := server.(map[string]any); isProgram(fmt.Sprint(entry["command"])) {
			return nil, ErrRegistered
		}
	}
	switch {
	case known == nil:
		return insertJSON(content, []string{section, ServerName}, added)
	case !strings.Contains(fmt.Sprint(known), ServerName): // the file may come with a hostile repository
		return nil, fmt.Errorf("its entry %s starts another program: %.100v", ServerName, known)
	}
	return nil, ErrRegistered
}

// maxBrackets bounds the brackets of a file, because a parser's stack grows with brackets inside brackets.
const maxBrackets = 10_000

// parseJSON parses a file that may have comments and trailing commas.
func parseJSON(content []byte) (hujson.Value, error) {
	if bytes.Count(content, []byte("["))+bytes.Count(content, []byte("{")) > maxBrackets {
		return hujson.Value{}, fmt.Errorf("read as JSON: it has more than %d brackets", maxBrackets)
	}
	if len(bytes.TrimSpace(content)) == 0 {
		content = []byte("{}\n")
	}
	file, err := hujson.Parse(bytes.Clone(content))
	if err != nil {
		return file, fmt.Errorf("read as JSON: %w", err)
	}
	return file, nil
}

func decodeJSON(content []byte) (map[string]any, error) {
	file, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	file.Standardize()
	var decoded map[string]any
	if err := json.Unmarshal(file.Pack(), &decoded); err != nil || decoded == nil {
		return nil, errors.New("read as JSON: it is not an object")
	}
	return decoded, nil
}

// atEnd, as the last key of a JSON pointer, means the end of a list.
const atEnd = "-"

// insertJSON adds a value to a JSON text, on a new line at the end of an object or a list. keys is the path of the
// value. insertJSON also adds missing objects and lists above the value.
func insertJSON(content []byte, keys []string, value any) ([]byte, error) {
	file, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	present := 0
	for present < len(keys)-1 && file.Find(pointer(keys[:present+1])) != nil {
		present++
	}
	for missing := len(keys) - 1; missing > present; missing-- {
		if keys[missing] == atEnd {
			value = []any{value}
		} else {
			value = map[string]any{keys[missing]: value}
		}
	}
	unit := indentOf(content)
	outside := "\n" + strings.Repeat(unit, present)
	text, err := json.MarshalIndent(value, outside[1:]+unit, unit)
	if err != nil {
		return nil, fmt.Errorf("add %s: %w", keys[present], err)
	}
	// Patch knows where commas and comments go.
	patch := fmt.Appendf(nil, `[{"op": "add", "path": %q, "value": %s}]`, pointer(keys[:present+1]), text)
	if err := file.Patch(patch); err != nil {
		return nil, fmt.Errorf("add %s: %w", keys[present], err)
	}
	var before, after *hujson.Extra
	switch parent := file.Find(pointer(keys[:present])).Value.(type) {
	case *hujson.Object:
		member := &parent.Members[len(parent.Members)-1]
		member.Value.BeforeExtra = hujson.Extra(" ")
		before, after = &member.Name.BeforeExtra, &parent.AfterExtra
	case *hujson.Array:
		before, after = &parent.Elements[len(parent.Elements)-1].BeforeExtra, &parent.AfterExtra
	}
	*before = hujson.Extra(strings.TrimRight(string(*before), " \t\n") + outside + unit)
	if !bytes.Contains(*after, []byte("\n")) {
		*after = append(*after, outside...)
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

// pointer returns the JSON pointer for a path of keys. It escapes nothing, because no key here needs it.
func pointer(keys []string) string { return strings.Join(append([]string{""}, keys...), "/") }

// paragraph is the text for files that every session of an assistant reads. It tells the model when to use the server.
const paragraph = `## Project memory

The MCP server compound-docs searches what this project has learned. Before you investigate an error or choose a
design, ask its tool semantic_search. When you have found out what code and tests do not say, extend the document
that is near or write one, and index it with index_document.
`

// addParagraph returns the content of a file with [paragraph] added at the end. The error is [ErrRegistered] if the
// content already names the server.
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
