package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
)

func tomlFormat() format { return format{decode: decodeTOML, insert: insertTOML} }

func decodeTOML(content []byte) (map[string]any, error) {
	file := map[string]any{}
	if err := toml.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("read as TOML: %w", err)
	}
	return file, nil
}

// insertTOML adds a table at the end of the file, where it ends the table before it.
func insertTOML(content []byte, section string, s server) ([]byte, error) {
	table := fmt.Sprintf("[%s.%s]\ncommand = %s\nargs = [%s]\n", section, ServerName, strconv.Quote(s.command), quoted(s.args))
	return []byte(withBlankLine(content) + table), nil
}

func yamlFormat() format { return format{decode: decodeYAML, insert: insertYAML} }

func decodeYAML(content []byte) (map[string]any, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	file := map[string]any{}
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read as YAML: %w", err)
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("read as YAML: it has more than one document")
	}
	return file, nil
}

var (
	yamlSection = regexp.MustCompile(`(?m)^extensions:[ \t]*(?:#.*)?\n`)
	yamlInside  = regexp.MustCompile(`^(?:[ \t]*(?:#.*)?\n)*([ \t]+)\S`)
)

// insertYAML adds an extension to Goose's file, before the others.
func insertYAML(content []byte, _ string, s server) ([]byte, error) {
	section := yamlSection.FindIndex(content)
	if section == nil {
		content = append([]byte(withNewline(content)), "extensions:\n"...)
		section = []int{0, len(content)}
	}
	indent := "  "
	if inside := yamlInside.FindSubmatch(content[section[1]:]); inside != nil {
		indent = string(inside[1])
	}
	lines := []string{
		ServerName + ":", indent + "enabled: true", indent + "type: stdio", indent + "name: " + ServerName,
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

// quoted lists texts as TOML and YAML read them.
func quoted(texts []string) string {
	words := make([]string, len(texts))
	for i, text := range texts {
		words[i] = strconv.Quote(text)
	}
	return strings.Join(words, ", ")
}
