package clients

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hookFiles has a file of hooks for each client, with the client's name and in the form of the client's documentation.
//
//go:embed hooks
var hookFiles embed.FS

// Hooks returns the path of the client's file for hooks, and the content of such a file with hooks that start program.
// The path is relative to [Client.Folder]. It is "" for a client without hooks.
func (c Client) Hooks(program string) (file string, hooks []byte) {
	if c.hooks == "" {
		return "", nil
	}
	hooks, err := hookFiles.ReadFile("hooks/" + c.Name + ".json")
	quoted, quoteErr := json.Marshal(Quote(program))
	if err := errors.Join(err, quoteErr); err != nil {
		panic(err) // the file of hooks is embedded, and a string always encodes
	}
	return c.hooks, bytes.ReplaceAll(hooks, []byte(ServerName+" recall"), append(bytes.Trim(quoted, `"`), " recall"...))
}

// PlanHooks returns the change that adds hooks to a JSON file below the folder root. hooks has the form of the file:
// {"hooks": {"Event": [...]}}, or {"compound-docs": …} for a client that names sets of hooks. Events that have a hook
// of this program stay as they are. If all events have a hook, the error is [ErrRegistered]. Other errors name client.
func PlanHooks(root, client, file string, hooks []byte) (Change, error) {
	change := Change{Folder: root, File: file}
	before, readErr := change.current()
	content, err := addHooks(before, hooks)
	err = cmp.Or(readErr, err)
	change.Content, change.old = content, before
	if err != nil && !errors.Is(err, ErrRegistered) {
		err = fmt.Errorf("%s was not changed: %w; correct it, or add them by hand: init --client %s --hooks --print shows them",
			change.Path(), err, client)
	}
	return change, err
}

// addHooks returns content with the hooks added. The rest of content stays as it is.
func addHooks(content, hooks []byte) ([]byte, error) {
	if len(bytes.TrimSpace(content)) == 0 && bytes.Contains(hooks, []byte(`"version"`)) {
		return hooks, nil // the client also needs the key "version", so the whole file is written
	}
	if bytes.Equal(content, hooks) {
		return nil, ErrRegistered // the file has exactly these hooks
	}
	present, err := decodeJSON(content)
	if err != nil {
		return nil, err
	}
	var ours map[string]json.RawMessage
	var events map[string][]json.RawMessage // unlike a map, raw text keeps the order of keys
	err = json.Unmarshal(hooks, &ours)
	if set := ours[ServerName]; set != nil {
		if present[ServerName] != nil {
			return nil, ErrRegistered
		}
		return insertJSON(content, []string{ServerName}, set)
	}
	if err := errors.Join(err, json.Unmarshal(ours[hooksKey], &events)); err != nil {
		return nil, fmt.Errorf("read the hooks: %w", err)
	}
	lists, _ := present[hooksKey].(map[string]any)
	before := content
	for _, event := range slices.Sorted(maps.Keys(events)) {
		var first any
		_ = json.Unmarshal(events[event][0], &first) // a part of hooks, which is valid JSON
		known := fmt.Sprint(lists[event])
		if strings.Contains(known, ServerName) || strings.Contains(known, fmt.Sprint(first)) {
			continue
		}
		for _, hook := range events[event] {
			content, err = insertJSON(content, []string{hooksKey, event, atEnd}, hook)
			if err != nil {
				return nil, err
			}
		}
	}
	if bytes.Equal(content, before) {
		return nil, ErrRegistered
	}
	return content, nil
}

// hooksKey is the key of all hooks in a file.
const hooksKey = "hooks"
