package tools

import "github.com/modelcontextprotocol/go-sdk/mcp"

// alwaysLoaded has Claude Code show the tool to the model from the first request on.
// Claude Code hides the tools of MCP servers behind a search otherwise. The model
// searches for a tool only if it knows that there may be one, so the tools that every
// session should think of are shown.
func alwaysLoaded() mcp.Meta { return mcp.Meta{"anthropic/alwaysLoad": true} }

// searchHint gives Claude Code's search for tools words that the name of a tool lacks.
func searchHint(words string) mcp.Meta { return mcp.Meta{"anthropic/searchHint": words} }
