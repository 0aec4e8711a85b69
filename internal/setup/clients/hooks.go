package clients

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// hookFiles has the hooks of each client by its name, in the form that its documentation shows.
//
//go:embed hooks
var hookFiles embed.FS

// Hooks returns the client's file for hooks, below the repository or the user's folder as [Client.ForUser] says, and the hooks
// in its form, which start program. file is "" for a client without hooks.
func (c Client) Hooks(program string) (file string, hooks []byte) {
	if c.hooks == "" {
		return "", nil
	}
	hooks, err := hookFiles.ReadFile("hooks/" + c.Name + ".json")
	quoted, quoteErr := json.Marshal(Quote(program))
	if err := errors.Join(err, quoteErr); err != nil {
		panic(err) // hooks are part of the program, and a text is always JSON
	}
	return c.hooks, bytes.ReplaceAll(hooks, []byte(ServerName+" recall"), append(bytes.Trim(quoted, `"`), " recall"...))
}

// PlanHooks returns the change that adds hooks to a JSON file below the folder root. hooks is such a file:
// {"hooks": {"Event": [...]}}, or {"compound-docs": …} for a client that names sets of hooks. An event that has a hook of this
// program keeps its list. The error is [ErrRegistered] if every event has one. client is the name in the error's remedy.
func PlanHooks(root, client, file string, hooks []byte) (Change, error) {
	change := Change{Folder: root, File: file}
	before, readErr := change.current()
	content, err := mergeHooks(before, hooks)
	err = cmp.Or(readErr, err)
	change.Content, change.before = content, before
	if err != nil && !errors.Is(err, ErrRegistered) {
		err = fmt.Errorf("%s was not changed: %w; correct it, or add them by hand: init --client %s --hooks --print shows them",
			change.Path(), err, client)
	}
	return change, err
}

// mergeHooks returns the content with hooks.
func mergeHooks(content, hooks []byte) ([]byte, error) {
	if len(bytes.TrimSpace(content)) == 0 && bytes.Contains(hooks, []byte(`"version"`)) {
		return hooks, nil // the client wants its version
	}
	if bytes.Equal(content, hooks) {
		return nil, ErrRegistered // a file of this program alone
	}
	var named map[string]json.RawMessage
	err := json.Unmarshal(hooks, &named)
	if err != nil {
		return nil, fmt.Errorf("read the hooks: %w", err)
	}
	if named[ServerName] != nil {
		return addNamed(content, named[ServerName])
	}
	return addHooks(content, hooks)
}

// addNamed returns content with a set of hooks by the name of this program.
func addNamed(content []byte, hooks json.RawMessage) ([]byte, error) {
	present, err := decodeJSON(content)
	if err != nil {
		return nil, err
	}
	if present[ServerName] != nil {
		return nil, ErrRegistered
	}
	return insertJSON(content, []string{ServerName}, hooks)
}

// hooksKey is where a file has its hooks.
const hooksKey = "hooks"

// addHooks returns content with the hooks. The rest of content stays as it is.
func addHooks(content, hooks []byte) ([]byte, error) {
	file, err := decodeJSON(content)
	if err != nil {
		return nil, err
	}
	present, ok := file[hooksKey].(map[string]any)
	if !ok && file[hooksKey] != nil {
		return nil, errOtherwise
	}
	ours, err := decodeJSON(hooks)
	var texts struct { // with the order of their keys
		Hooks map[string][]json.RawMessage `json:"hooks"`
	}
	if err := errors.Join(err, json.Unmarshal(hooks, &texts)); err != nil {
		return nil, fmt.Errorf("read the hooks: %w", err)
	}
	values, _ := ours[hooksKey].(map[string]any)
	isNew := false
	for _, event := range slices.Sorted(maps.Keys(values)) {
		list, ok := present[event].([]any)
		if !ok && present[event] != nil {
			return nil, errOtherwise
		}
		added, _ := values[event].([]any)
		isOurs := func(hook any) bool {
			return strings.Contains(fmt.Sprint(hook), ServerName) || reflect.DeepEqual(hook, added[0])
		}
		if len(added) == 0 || slices.ContainsFunc(list, isOurs) {
			continue
		}
		for _, hook := range texts.Hooks[event] {
			content, err = insertJSON(content, []string{hooksKey, event, atEnd}, hook)
			if err != nil {
				return nil, err
			}
			isNew = true
		}
	}
	if !isNew {
		return nil, ErrRegistered
	}
	return content, nil
}
