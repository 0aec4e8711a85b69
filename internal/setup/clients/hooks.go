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

// hookFiles has the hooks of each client in a file with the client's name. The form is that of the client's
// documentation.
//
//go:embed hooks
var hookFiles embed.FS

// Hooks returns the client's file for hooks, and hooks in its form that start program. file is below the user's home if
// [Client.ForUser], otherwise below the repository. It is "" for a client without hooks.
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

// PlanHooks returns the change that adds hooks to a JSON file below the folder root. hooks has the same form as the
// file: {"hooks": {"Event": [...]}}, or {"compound-docs": …} for a client that names sets of hooks. An event that
// already has a hook of this program stays as it is. The error is [ErrRegistered] if every event has one. Other errors
// name client.
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

// mergeHooks returns the content of a file with hooks added.
func mergeHooks(content, hooks []byte) ([]byte, error) {
	if len(bytes.TrimSpace(content)) == 0 && bytes.Contains(hooks, []byte(`"version"`)) {
		return hooks, nil // the client needs the key version too
	}
	if bytes.Equal(content, hooks) {
		return nil, ErrRegistered // the file has exactly these hooks
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

// addNamed returns content with a set of hooks added under this program's name.
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

// hooksKey is the key of the hooks in a file.
const hooksKey = "hooks"

// addHooks returns content with the hooks added. The rest of content stays as it is.
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
	var texts struct { // raw texts keep the order of keys
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
