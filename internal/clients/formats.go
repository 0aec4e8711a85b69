package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// entry is that of a JSON file, with the keys in the order of each client's documentation.
type entry struct {
	Type    string            `json:"type,omitempty"`
	Command any               `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Enabled bool              `json:"enabled,omitempty"`
}

// local is OpenCode's type of an entry, which has the arguments in the command.
const local = "local"

func entryOf(kind string, s server) entry {
	if kind == local {
		return entry{Type: kind, Command: append([]string{s.command}, s.args...), Enabled: true}
	}
	return entry{Type: kind, Command: s.command, Args: s.args, Env: s.environment}
}

// writeJSON adds an entry to a JSON file, which may have comments and trailing commas, and
// leaves the rest as it is.
func writeJSON(content []byte, section string, entry any) ([]byte, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		content = []byte("{}\n")
	}
	file, err := hujson.Parse(content)
	if err != nil {
		return nil, fmt.Errorf("read as JSON: %w", err)
	}
	unit := "  "
	if found := firstIndent.FindSubmatch(content); found != nil {
		unit = string(found[1])
	}
	keys := []string{section, serverName}
	for depth, key := range keys {
		parent, isObject := file.Find(pointer(keys[:depth])).Value.(*hujson.Object)
		if !isObject {
			return nil, fmt.Errorf("%s is not an object", strings.Join(append([]string{"it"}, keys[:depth]...), "."))
		}
		last := depth == len(keys)-1
		switch found := file.Find(pointer(keys[:depth+1])); {
		case found != nil && last:
			return nil, ErrRegistered
		case found != nil:
			continue
		}
		value := any(struct{}{})
		if last {
			value = entry
		}
		if err := add(&file, parent, pointer(keys[:depth]), key, value, depth+1, unit); err != nil {
			return nil, err
		}
	}
	return file.Pack(), nil
}

// firstIndent is what a file is indented with.
var firstIndent = regexp.MustCompile(`(?m)^([ \t]+)"`)

// pointer is a JSON pointer; no key here has a character that it would write otherwise.
func pointer(keys []string) string { return strings.Join(append([]string{""}, keys...), "/") }

// add adds a member behind the others of its object, on a line of its own. depth is that
// of the member.
func add(file *hujson.Value, object *hujson.Object, at, key string, value any, depth int, unit string) error {
	text, err := json.MarshalIndent(value, strings.Repeat(unit, depth), unit)
	var parsed hujson.Value
	if err == nil {
		parsed, err = hujson.Parse(text)
	}
	if err == nil { // Patch knows where commas and comments go
		err = file.Patch(fmt.Appendf(nil, `[{"op": "add", "path": %q, "value": null}]`, at+"/"+key))
	}
	if err != nil {
		return fmt.Errorf("add %s: %w", key, err)
	}
	added := &object.Members[len(object.Members)-1]
	before := strings.TrimRight(string(added.Name.BeforeExtra), " \t\n")
	added.Name.BeforeExtra = hujson.Extra(before + "\n" + strings.Repeat(unit, depth))
	added.Value = parsed
	added.Value.BeforeExtra = hujson.Extra(" ")
	if !bytes.Contains(object.AfterExtra, []byte("\n")) {
		object.AfterExtra = append(object.AfterExtra, "\n"+strings.Repeat(unit, depth-1)...)
	}
	return nil
}

var tomlTable = regexp.MustCompile(`(?m)^\s*\[\s*mcp_servers\s*\.\s*["']?compound-docs["']?\s*\]`)

// writeTOML adds a table to a TOML file, at its end, where it ends the table before it.
func writeTOML(content []byte, s server) ([]byte, error) {
	if tomlTable.Match(content) {
		return nil, ErrRegistered
	}
	table := fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", serverName, strconv.Quote(s.command), quoted(s.args))
	return []byte(withBlankLine(content) + table), nil
}

var (
	yamlSection = regexp.MustCompile(`(?m)^extensions:[ \t]*(?:#.*)?\n`)
	yamlEntry   = regexp.MustCompile(`(?m)^[ \t]+["']?compound-docs["']?:`)
	yamlInside  = regexp.MustCompile(`^(?:[ \t]*(?:#.*)?\n)*([ \t]+)\S`)
	yamlOther   = regexp.MustCompile(`(?m)^["']?extensions["']?[ \t]*:`)
)

// writeYAML adds an extension to Goose's file, before the others.
func writeYAML(content []byte, s server) ([]byte, error) {
	section := yamlSection.FindIndex(content)
	switch {
	case yamlEntry.Match(content):
		return nil, ErrRegistered
	case section == nil && yamlOther.Match(content):
		return nil, errors.New("extensions is not a block of lines")
	case section == nil:
		if len(content) > 0 && content[len(content)-1] != '\n' {
			content = append(content, '\n')
		}
		content = append(content, "extensions:\n"...)
		section = []int{0, len(content)}
	}
	indent := "  "
	if inside := yamlInside.FindSubmatch(content[section[1]:]); inside != nil {
		indent = string(inside[1])
	}
	lines := []string{
		serverName + ":", indent + "enabled: true", indent + "type: stdio", indent + "name: " + serverName,
		indent + "cmd: " + strconv.Quote(s.command), indent + "args: [" + quoted(s.args) + "]", indent + "timeout: 300",
	}
	if len(s.environment) > 0 {
		lines = append(lines, indent+"envs:")
	}
	for _, name := range slices.Sorted(maps.Keys(s.environment)) {
		lines = append(lines, indent+indent+name+": "+strconv.Quote(s.environment[name]))
	}
	entry := indent + strings.Join(lines, "\n"+indent) + "\n"
	return slices.Concat(content[:section[1]], []byte(entry), content[section[1]:]), nil
}

// paragraph says when to use the server, in a file that every session reads.
const paragraph = `## Project memory

The MCP server compound-docs searches what this project has learned. Before you investigate an error or choose a
design, ask its tool semantic_search. When you have found out what code and tests do not say, extend the document
that is near or write one, and index it with index_document.
`

// writeParagraph adds the paragraph to the end of a file that does not name the server.
func writeParagraph(content []byte) ([]byte, error) {
	if bytes.Contains(content, []byte(serverName)) {
		return nil, ErrRegistered
	}
	return []byte(withBlankLine(content) + paragraph), nil
}

// withBlankLine ends what a file has with a blank line, before what is added to it.
func withBlankLine(content []byte) string {
	switch text := string(content); {
	case text == "":
		return ""
	case strings.HasSuffix(text, "\n"):
		return text + "\n"
	default:
		return text + "\n\n"
	}
}

// quoted lists texts as TOML and YAML read them.
func quoted(texts []string) string {
	words := make([]string, len(texts))
	for i, text := range texts {
		words[i] = strconv.Quote(text)
	}
	return strings.Join(words, ", ")
}
