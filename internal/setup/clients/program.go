package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ServerName is the name under which the server is registered.
const ServerName = "compound-docs"

// Variables are the environment variables that the server reads, and that its client has to pass on.
var Variables = []string{"CDOCS_DATABASE_URL", "CDOCS_OLLAMA_HOST", "CDOCS_HOME"}

// Environment returns those that are set, but not the database URL, which may hold a password.
func Environment() map[string]string {
	environment := map[string]string{}
	for _, name := range Variables {
		if value := os.Getenv(name); value != "" && name != "CDOCS_DATABASE_URL" {
			environment[name] = value
		}
	}
	return environment
}

// Program returns the path that starts this program. It prefers one on the PATH, because that stays when a
// package manager installs another version.
func Program() string {
	program, err := os.Executable()
	if err != nil {
		return ServerName
	}
	onPath, err := exec.LookPath(ServerName)
	if err != nil {
		return program
	}
	onPath, err = filepath.Abs(onPath)
	this, thisErr := os.Stat(program)
	other, otherErr := os.Stat(onPath)
	if err != nil || thisErr != nil || otherErr != nil || !os.SameFile(this, other) {
		return program
	}
	return onPath
}

// Quote returns a word as a shell reads it.
func Quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// QuoteLine returns a command line as a shell reads it.
func QuoteLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}
