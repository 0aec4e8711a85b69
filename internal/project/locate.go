package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/contain"
)

// configFile returns the path of the config.json of the repository at root.
func configFile(root string) string { return filepath.Join(root, ConfigDir, ConfigFile) }

// locate returns the root of the repository. given is the path of its config.json, which may not exist, of the folder of
// config.json, or of the root. locate resolves symbolic links, so that each checkout has one root. The error is a
// *ConfigError.
func locate(given string) (root string, err error) {
	const example = "/home/me/my-project/" + ConfigDir + "/" + ConfigFile
	if !filepath.IsAbs(given) {
		return "", &ConfigError{
			Path: given, Key: "config_path", Problem: "is not an absolute path",
			Hint: "Give the absolute path of the configuration, for example " + example + ".",
		}
	}
	given = filepath.Clean(given)
	folder := filepath.Dir(given)
	info, err := os.Stat(given)
	switch {
	case filepath.Base(given) == ConfigFile && filepath.Base(folder) == ConfigDir:
		root = filepath.Dir(folder)
	case filepath.Base(given) == ConfigDir:
		root = folder
	case err != nil:
		return "", fileError(given, "Give the absolute path of the repository or of its configuration, "+
			"for example "+example+".", err)
	case !info.IsDir():
		return "", &ConfigError{
			Path: given, Problem: "is not where a configuration must be",
			Hint: "It is the file " + ConfigFile + " in the folder " + ConfigDir +
				" at the root of the repository, for example " + example + ".",
		}
	default:
		root = given
	}
	root, err = filepath.EvalSymlinks(root)
	if err != nil {
		return "", fileError(given, missingConfigHint(root), err)
	}
	if filepath.Base(root) == ConfigDir { // given was a link to the folder of a configuration
		root = filepath.Dir(root)
	}
	return root, nil
}

// missingConfigHint says how to give root a configuration. root may be outside a repository, such as the user's home.
func missingConfigHint(root string) string {
	above, err := FindRoot(filepath.Dir(root))
	if err != nil {
		above = root // root has no config, so Lstat fails
	}
	file := configFile(above)
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("It lies in a project: give %s.", file)
	}
	if !InRepository(root) {
		return "Name a repository by its absolute path; `compound-docs init DIR` prepares one."
	}
	return fmt.Sprintf("Run `compound-docs init %q`, or create the file with at least %s.", root, minimalConfig)
}

// FindRoot goes upwards from the given folder. It returns the first folder that has a configuration or is the top of a
// git work tree, or else the given folder. The result has no symbolic links.
func FindRoot(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	folder, err = filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		_, noConfig := os.Lstat(configFile(dir))
		_, noGit := os.Lstat(filepath.Join(dir, ".git"))
		if noConfig == nil || noGit == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return folder, nil
		}
	}
}

// holdsGit reports whether an element of a path is .git. Like some file systems, it ignores case.
func holdsGit(path string) bool {
	parts := strings.Split(filepath.ToSlash(path), "/")
	return slices.ContainsFunc(parts, func(part string) bool { return strings.EqualFold(part, ".git") })
}

// relative returns path relative to root with / separators, or false if path is neither root nor below it. Both
// arguments must be absolute and without symbolic links.
func relative(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// isInside reports whether path is root or below it. Both arguments must be absolute and without symbolic links.
func isInside(root, path string) bool {
	_, ok := relative(root, path)
	return ok
}

// inAny reports whether a path is one of the folders or below it.
func inAny(folders []string, path string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return isInside(folder, path) })
}

// resolveInside follows the symbolic links of rel, a path relative to root with / separators, and describes the target.
// It fails if the target is outside root or hidden.
func resolveInside(root, rel string) (target string, info fs.FileInfo, err error) {
	folder, err := contain.Open(root)
	if err != nil {
		return "", nil, err
	}
	target, info, err = folder.Resolve(rel)
	return target, info, errors.Join(err, folder.Close())
}

// readInside reads a configuration or a schema. rel is relative to root. It fails if the file is outside root, or
// hidden and not in ConfigDir.
func readInside(root, rel string) ([]byte, error) {
	folder, err := contain.Open(root)
	if err != nil {
		return nil, err
	}
	file, err := folder.Showing(ConfigDir).Read(filepath.ToSlash(rel), contain.MaxConfig)
	return file.Content, errors.Join(err, folder.Close())
}
