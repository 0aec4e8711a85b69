package claude

import (
	"path/filepath"
	"strings"
)

// ScopePlugin is a registration by the plugin, in each project where that is enabled.
const ScopePlugin = "plugin"

// pluginName is the name of the plugin, which a marketplace follows.
const pluginName = "cdocs@"

// LocalSettings is the file of a repository with one user's settings. It can have hooks.
const LocalSettings = ".claude/settings.local.json"

// findPlugin returns the server of the plugin, and false if that is not enabled in the
// project at root. The project's settings count before the user's.
func findPlugin(root string) (Registration, bool, error) {
	folder, err := userFolder(".claude")
	if err != nil {
		return Registration{}, false, err
	}
	for _, file := range []string{
		filepath.Join(root, filepath.FromSlash(LocalSettings)), filepath.Join(root, ".claude", "settings.json"),
		filepath.Join(folder, "settings.json"),
	} {
		var settings struct {
			Plugins map[string]any `json:"enabledPlugins"` //nolint:tagliatelle // Claude Code's name
		}
		if err := read(file, &settings); err != nil {
			return Registration{}, false, err
		}
		for name, enabled := range settings.Plugins {
			if strings.HasPrefix(name, pluginName) {
				return Registration{
					Name: name, Scope: ScopePlugin, File: file,
					Command: ServerName, Args: []string{"serve", "--project", root},
				}, enabled != false, nil
			}
		}
	}
	return Registration{}, false, nil
}
