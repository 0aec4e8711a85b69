// Package plugin holds the files of the plugin for Claude Code. This code only returns the plugin's hooks, which
// compound-docs init adds for people without the plugin.
package plugin

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed hooks/hooks.json
var hooks string

// Hooks returns the plugin's hooks as JSON for Claude Code's settings. server is the name of the MCP server in Claude
// Code. program is the command that starts compound-docs, quoted for a shell.
func Hooks(server, program string) []byte {
	inJSON := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err) // encoding a string never fails
		}
		return string(quoted[1 : len(quoted)-1])
	}
	return []byte(strings.NewReplacer(`\"${CLAUDE_PLUGIN_ROOT}/bin/compound-docs\"`, inJSON(program),
		"plugin:cdocs:compound-docs", inJSON(server)).Replace(hooks))
}
