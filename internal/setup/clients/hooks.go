package clients

import (
	"bytes"
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

// Hooks returns the client's file for hooks below the repository, and the hooks of this program in its
// form. file is "" for a client without hooks.
func (c Client) Hooks() (file string, hooks []byte) {
	if c.hooks == "" {
		return "", nil
	}
	hooks, err := hookFiles.ReadFile("hooks/" + c.Name + ".json")
	if err != nil {
		panic(err) // it is part of the program
	}
	return c.hooks, hooks
}

// PlanHooks returns the change that adds hooks to a JSON file of the repository at root. hooks is such a
// file: {"hooks": {"Event": [...]}}. An event that has a hook of this program keeps its list. The error is
// [ErrRegistered] if every event has one. client is the name in the error's remedy.
func PlanHooks(root, client, file string, hooks []byte) (Change, error) {
	change := Change{Folder: root, File: file}
	old, missing, err := change.read()
	switch change.missing = missing; {
	case err != nil:
	case len(bytes.TrimSpace(old)) == 0 && bytes.Contains(hooks, []byte(`"version"`)):
		change.Content = hooks // Cursor wants its version
	default:
		change.Content, err = addHooks(old, hooks)
	}
	if err != nil && !errors.Is(err, ErrRegistered) {
		err = fmt.Errorf("%s was not changed: %w; correct it, or add them by hand: init --client %s --hooks --print shows them",
			change.Path(), err, client)
	}
	return change, err
}

// addHooks returns content with the hooks. It reads the result again: unless that is the old
// content and the hooks, and nothing else, addHooks returns an error.
func addHooks(content, hooks []byte) ([]byte, error) {
	if nested(content) > maxNested {
		return nil, fmt.Errorf("it has more than %d brackets inside each other", maxNested)
	}
	want, err := decodeJSON(content)
	if err != nil {
		return nil, err
	}
	const section = "hooks"
	present, ok := want[section].(map[string]any)
	switch {
	case want[section] == nil:
		present = map[string]any{}
		want[section] = present
	case !ok:
		return nil, errOtherwise
	}
	values, err := decodeJSON(hooks)
	added, _ := values[section].(map[string]any)
	if err != nil {
		return nil, err
	}
	var texts struct { // with the order of their keys
		Hooks map[string][]json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(hooks, &texts); err != nil {
		return nil, fmt.Errorf("read the hooks: %w", err)
	}
	err = ErrRegistered
	for _, event := range slices.Sorted(maps.Keys(texts.Hooks)) {
		list, ok := present[event].([]any)
		if !ok && present[event] != nil {
			return nil, errOtherwise
		}
		more, _ := added[event].([]any)
		isOurs := func(hook any) bool {
			return strings.Contains(fmt.Sprint(hook), serverName) || reflect.DeepEqual(hook, more[0])
		}
		if len(more) == 0 || slices.ContainsFunc(list, isOurs) {
			continue
		}
		for _, hook := range texts.Hooks[event] {
			if content, err = insertJSON(content, []string{section, event, atEnd}, hook); err != nil {
				return nil, err
			}
		}
		present[event] = append(list, more...)
	}
	if err != nil {
		return nil, err
	}
	if got, err := decodeJSON(content); err != nil || !reflect.DeepEqual(want, got) {
		return nil, errOtherwise
	}
	return content, nil
}
