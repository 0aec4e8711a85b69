package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// PlanHooks returns what adds hooks to a JSON file of the repository at root. hooks is such a
// file in the client's own form: {"hooks": {"Event": [...]}}. An event that has a hook of this
// program keeps its list. The error is [ErrRegistered] if every event has one.
func PlanHooks(root, file string, hooks []byte) (Change, error) {
	change := Change{Folder: root, File: file}
	old, missing, err := change.read()
	if change.missing = missing; err == nil {
		change.Content, err = addHooks(old, hooks)
	}
	if err != nil && !errors.Is(err, ErrRegistered) {
		err = fmt.Errorf("%s was not changed: %w; correct it, or add them by hand: init --client claude --hooks --print shows them",
			change.Path(), err)
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
	if !ok && want[section] != nil {
		return nil, errOtherwise
	}
	if !ok {
		present = map[string]any{}
		want[section] = present
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
		if content, err = appendJSON(content, []string{section, event}, texts.Hooks[event]); err != nil {
			return nil, err
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

// appendJSON adds values to the list at the path that keys name, which need not exist.
func appendJSON(content []byte, keys []string, values []json.RawMessage) ([]byte, error) {
	file, err := hujson.Parse(bytes.Clone(content))
	list := file.Find(pointer(keys))
	if err != nil || list == nil {
		return insertJSON(content, keys, values)
	}
	array, ok := list.Value.(*hujson.Array)
	if !ok {
		return nil, errOtherwise
	}
	unit := indentOf(content)
	inside := "\n" + strings.Repeat(unit, len(keys)+1)
	for _, value := range values {
		text, err := json.MarshalIndent(value, inside[1:], unit)
		if err == nil { // Patch knows where commas and comments go
			err = file.Patch(fmt.Appendf(nil, `[{"op": "add", "path": %q, "value": %s}]`, pointer(keys)+"/-", text))
		}
		if err != nil {
			return nil, fmt.Errorf("add a hook: %w", err)
		}
		added := &array.Elements[len(array.Elements)-1]
		added.BeforeExtra = hujson.Extra(strings.TrimRight(string(added.BeforeExtra), " \t\n") + inside)
	}
	if !strings.Contains(string(array.AfterExtra), "\n") {
		array.AfterExtra = append(array.AfterExtra, inside[:len(inside)-len(unit)]...)
	}
	return file.Pack(), nil
}
