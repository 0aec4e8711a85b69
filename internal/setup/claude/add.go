package claude

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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
	if err == nil {
		onPath, err = filepath.Abs(onPath)
	}
	this, thisErr := os.Stat(program)
	other, otherErr := os.Stat(onPath)
	if errors.Join(err, thisErr, otherErr) != nil || !os.SameFile(this, other) {
		return program
	}
	return onPath
}

// AddCommand returns the command with which Claude Code registers the server for one user in the project
// where it runs, and the same for a shell: that has the shell's own variables, since values may be secret.
//
// The flag --env takes all words that follow it up to the next flag, so it cannot come last before the name.
func AddCommand(program string, environment map[string]string) (words []string, line string) {
	words, quoted := []string{"claude", "mcp", "add"}, []string{"claude mcp add"}
	for _, name := range Variables {
		if value, ok := environment[name]; ok {
			words = append(words, "--env", name+"="+value)
			quoted = append(quoted, "--env", name+`="$`+name+`"`)
		}
	}
	end := []string{"--scope", ScopeLocal, ServerName, "--", program, "serve"}
	return append(words, end...), strings.Join(append(quoted, QuoteLine(end)), " ")
}
