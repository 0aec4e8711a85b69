package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// codexEntry is a table of TOML, for the end of the file.
const codexEntry = `[mcp_servers.compound-docs]
command = COMMAND
args = ARGS
`

// gooseEntry is YAML. A file that has extensions already takes the lines below the first one.
const gooseEntry = `extensions:
  compound-docs:
    enabled: true
    type: stdio
    name: compound-docs
    cmd: COMMAND
    args: ARGS
    envs: ENVIRONMENT
    timeout: 300
`

// pasted returns the entry for a file that the user changes: an addition in TOML or YAML may end up in another table
// or lose comments. The error is [ErrRegistered] if the content names the server as a table or as a key.
func (c Client) pasted(content []byte, s startCommand) ([]byte, error) {
	for _, mark := range []string{"[mcp_servers." + ServerName + "]", ServerName + ":"} {
		if bytes.Contains(content, []byte(mark)) {
			return nil, ErrRegistered
		}
	}
	var values []string
	for name, value := range map[string]any{"COMMAND": s.command, "ARGS": s.args, "ENVIRONMENT": s.environment} {
		text, err := json.Marshal(value) // TOML and YAML read texts, lists and YAML objects of JSON
		if err != nil {
			return nil, fmt.Errorf("write the entry: %w", err)
		}
		values = append(values, name, string(text))
	}
	return []byte(strings.NewReplacer(values...).Replace(c.template)), nil
}
