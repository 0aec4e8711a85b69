package main

import (
	"bufio"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
)

// asker asks questions on a terminal.
type asker struct {
	invocation

	answers *bufio.Reader // reads stdin
	yes     bool          // nobody wants to be asked
}

func newAsker(command *cobra.Command, args []string, yes bool) asker {
	return asker{newInvocation(command, args), bufio.NewReader(command.InOrStdin()), yes}
}

// ask returns the answer to a question, which is byDefault for an empty line. asked is
// false if nobody can be asked, wants to be, or answers.
func (a asker) ask(question string, byDefault bool) (answer, asked bool) {
	input, ok := a.command.InOrStdin().(*os.File)
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
