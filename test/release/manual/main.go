// Command manual writes the man page of packages on stdout. It is made from docs/commands.md.
//
//	go run ./test/release/manual <docs/commands.md >compound-docs.1
package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
	fmt.Print(manual(string(text)))
}

const head = `.TH COMPOUND-DOCS 1
.SH NAME
compound-docs \- a project's memory for AI coding assistants
.SH SYNOPSIS
.B compound-docs
.RI [ COMMAND ] " " [ FLAG ...] " " [ ARGUMENT ...]
.SH DESCRIPTION
`

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->\n*`)
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	code    = regexp.MustCompile("`([^`]*)`")
)

// manual returns a page of markdown in the language of man.
func manual(markdown string) string {
	var out strings.Builder
	out.WriteString(head)
	inCode := false
	for line := range strings.Lines(comment.ReplaceAllString(markdown, "")) {
		line = strings.TrimRight(line, "\n")
		isTable := strings.HasPrefix(line, "|")
		switch {
		case strings.HasPrefix(line, "```"):
			inCode = !inCode
			out.WriteString(map[bool]string{true: ".PP\n.RS 4\n.nf\n", false: ".fi\n.RE\n"}[inCode])
		case inCode:
			out.WriteString(escaped(line) + "\n")
		case strings.HasPrefix(line, "# "), strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "## "):
			out.WriteString(".SH " + strings.ToUpper(escaped(line[3:])) + "\n")
		case strings.HasPrefix(line, "### "):
			out.WriteString(".SS " + escaped(line[4:]) + "\n")
		case strings.HasPrefix(line, "- "):
			out.WriteString(".IP \\(bu 2\n" + inline(line[2:]) + "\n")
		case isTable:
			cells := strings.SplitN(strings.Trim(line, "| "), " | ", 2)
			out.WriteString(".TP 10\n" + inline(cells[0]) + "\n" + inline(cells[len(cells)-1]) + "\n")
		case line == "":
			out.WriteString(".PP\n")
		default:
			out.WriteString(inline(line) + "\n")
		}
	}
	return out.String()
}

// inline returns a text with its code in bold, and without the addresses of links.
func inline(text string) string {
	return code.ReplaceAllString(escaped(link.ReplaceAllString(text, "$1")), `\fB$1\fR`)
}

// escaped returns a line that man prints as it is.
func escaped(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}
