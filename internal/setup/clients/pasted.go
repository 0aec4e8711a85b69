package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// codexEntry is the entry for Codex, a TOML table. The user adds the table at the end of the file.
const codexEntry = `[mcp_servers.compound-docs]
command = COMMAND
args = ARGS
`

// gooseEntry is the entry for Goose, in YAML. If the file has extensions already, the user leaves out the first line.
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

// pasted returns the entry for a TOML or YAML file. The user adds the entry, because an automatic addition may end up
// in another table or lose comments. The error is [ErrRegistered] if the content has the server as a table or as a key.
func (c Client) pasted(content []byte, server entry) ([]byte, error) {
	for _, mark := range []string{"[mcp_servers." + ServerName + "]", ServerName + ":"} {
		if bytes.Contains(content, []byte(mark)) {
			return nil, ErrRegistered
		}
	}
	var values []string
	for name, value := range map[string]any{"COMMAND": server.Command, "ARGS": server.Args, "ENVIRONMENT": server.Env} {
		text, err := json.Marshal(value) // JSON strings and lists are valid TOML and YAML; the object is only for YAML
		if err != nil {
			return nil, fmt.Errorf("write the entry: %w", err)
		}
		values = append(values, name, string(text))
	}
	return []byte(strings.NewReplacer(values...).Replace(c.template)), nil
}
