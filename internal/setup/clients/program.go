package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ServerName is the name under which the server is registered.
const ServerName = "compound-docs"

// variables are the environment variables that a client must pass on to the server. CDOCS_DATABASE_URL is not among
// them, because the URL may have a password.
var variables = []string{"CDOCS_OLLAMA_HOST", "CDOCS_HOME"}

// Environment returns the values of the variables that are set.
func Environment() map[string]string {
	environment := map[string]string{}
	for _, name := range variables {
		if value := os.Getenv(name); value != "" {
			environment[name] = value
		}
	}
	return environment
}

// Program returns the path with which an assistant starts this program. It prefers a path from the PATH, because a
// package manager keeps this path when it installs another version.
func Program() string {
	program, err := os.Executable()
	if err != nil {
		return ServerName
	}
	found := onPath()
	this, thisErr := os.Stat(program)
	other, otherErr := os.Stat(found)
	if thisErr != nil || otherErr != nil || !os.SameFile(this, other) {
		return program
	}
	return found
}

// SharedProgram returns the command for files that a team shares: the program's name, or its path if the name is not
// on the PATH.
func SharedProgram() string {
	if onPath() == "" {
		return Program()
	}
	return ServerName
}

// onPath returns the path of compound-docs on the PATH, or "". It leaves out folders that npx and package scripts add
// to the PATH, because assistants do not have them.
func onPath() string {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		found, err := exec.LookPath(filepath.Join(folder, ServerName))
		if err == nil && filepath.IsAbs(found) && !strings.HasSuffix(filepath.ToSlash(folder), "node_modules/.bin") {
			return found
		}
	}
	return ""
}

// Quote returns a word for a shell, with quotes if the shell needs them.
func Quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// QuoteLine returns words as a command line for a shell.
func QuoteLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}
