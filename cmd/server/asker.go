package main

import (
	"bufio"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// asker asks questions on a terminal.
type asker struct {
	stdin   io.Reader
	answers *bufio.Reader // reads stdin
	stderr  io.Writer
	yes     bool // nobody wants to be asked
}

func newAsker(command *cobra.Command, yes bool) asker {
	stdin := command.InOrStdin()
	return asker{stdin: stdin, answers: bufio.NewReader(stdin), stderr: command.ErrOrStderr(), yes: yes}
}

// ask returns the answer to a question, which is byDefault for an empty line. asked is
// false if nobody can be asked, wants to be, or answers.
func (a asker) ask(question string, byDefault bool) (answer, asked bool) {
	input, ok := a.stdin.(*os.File)
	if !ok || a.yes || !plain.IsTerminal(input) {
		return false, false
	}
	choice := "[y/N]"
	if byDefault {
		choice = "[Y/n]"
	}
	plain.Printf(a.stderr, "%s %s ", question, choice)
	text, err := a.answers.ReadString('\n')
	if err != nil && text == "" {
		return false, false
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "":
		return byDefault, true
	case "y", "yes":
		return true, true
	}
	return false, true
}

// may asks for leave. --yes gives it; without that and without anybody to ask there is none.
func (a asker) may(question string) bool {
	answer, _ := a.ask(question, false)
	return answer || a.yes
}
