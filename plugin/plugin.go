// Package plugin is the plugin for Claude Code, which reads its files. The program takes the
// hooks from it, for people without the plugin.
package plugin

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed hooks/hooks.json
var hooks string

// Hooks returns the plugin's hooks for Claude Code's settings. server is the name of the MCP
// server there, and program starts compound-docs, quoted for a shell.
func Hooks(server, program string) []byte {
	inJSON := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err) // a string is always JSON
		}
		return string(quoted[1 : len(quoted)-1])
	}
	return []byte(strings.NewReplacer(`\"${CLAUDE_PLUGIN_ROOT}/bin/compound-docs\"`, inJSON(program),
		"plugin:cdocs:compound-docs", inJSON(server)).Replace(hooks))
}
