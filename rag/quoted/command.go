// Package quoted says whether a command line, or a text that is about to be written, is what a
// document quotes. It knows texts alone: neither files nor the index.
package quoted

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Command is one call of a program in a command line.
type Command struct { //nolint:recvcheck // filled through a pointer, and read by value
	// words are the program and its arguments without flags, folded to lower case. Flags are as
	// they are written, without values.
	words, flags []string
}

// maxCommands bounds the calls of one command line, and maxLine its length in bytes.
const (
	maxCommands = 40
	maxLine     = 10_000
)

// Commands reads a command line of a shell: the calls in it, without assignments of variables
// and redirections. Programs that start others, such as sudo, count as words of the call.
func Commands(line string) []Command {
	var commands []Command
	var call []token
	line = redirected.ReplaceAllString(line[:min(len(line), maxLine)], " ")
	for _, t := range append(tokens(line), token{text: ";", operator: true}) {
		if !t.operator {
			call = append(call, t)
			continue
		}
		if c := newCommand(call); len(c.words)+len(c.flags) > 0 && len(commands) < maxCommands {
			commands = append(commands, c)
		}
		call = nil
	}
	return commands
}

// Files returns the words of a command line that may be files, in lower case, except in everyday calls.
func Files(line string) []string {
	var files []string
	for _, call := range Commands(line) {
		if call.isEveryday() {
			continue
		}
		for _, word := range call.words {
			if strings.ContainsAny(word, "./") {
				files = append(files, word)
			}
		}
	}
	return files
}

// token is a word of a command line, or an operator between calls. A literal was in quotation
// marks and has spaces.
type token struct {
	text              string
	operator, literal bool
}

func tokens(line string) []token {
	var all []token
	var word strings.Builder
	started, literal := false, false
	end := func() {
		if started {
			all = append(all, token{text: word.String(), literal: literal})
		}
		word.Reset()
		started, literal = false, false
	}
	quote := rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			started, escaped = r != '\n' || started, false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
				break
			}
			literal = literal || r == ' '
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case strings.ContainsRune(";|&\n()", r):
			end()
			all = append(all, token{text: string(r), operator: true})
		case r == ' ' || r == '\t' || r == '\r':
			end()
		default:
			word.WriteRune(r)
			started = true
		}
	}
	end()
	return all
}

var (
	assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)
	redirected = regexp.MustCompile(`\d?>&\d|&>|\s\d?>>?\s*[^\s&]+`)
	// shortFlags are several flags of one letter, perhaps behind one dash.
	shortFlags = regexp.MustCompile(`^-[A-Za-z]{1,4}$`)
	// methodFlag is a flag of one letter with its value, such as -XDELETE.
	methodFlag = regexp.MustCompile(`^-[A-Z]([A-Z]{2,}|\d+)$`)
	resource   = regexp.MustCompile(`^[a-z]+/[\w-]+$`)
)

func newCommand(call []token) Command {
	for len(call) > 0 && (assignment.MatchString(call[0].text) || isStarter(call[0].text)) {
		call = call[1:]
	}
	var c Command
	if len(call) == 0 {
		return c
	}
	if !strings.HasPrefix(call[0].text, "-") { // a flag of a command that stands elsewhere
		c.words, call = strings.Fields(programName(call[0].text)), call[1:]
	}
	for _, t := range call {
		switch {
		case !t.literal:
			c.add(t.text)
		case !c.isEveryday():
			for field := range strings.FieldsSeq(t.text) {
				c.add(field)
			}
		}
	}
	return c
}

// add adds a word of the call, or of a quoted argument, such as a statement of SQL or a command for another host.
func (c *Command) add(text string) {
	text = strings.Trim(text, "`(),;'\"")
	kind, name, found := strings.Cut(strings.ToLower(text), "/")
	switch {
	case text == "":
	case strings.HasPrefix(text, "-") && len(text) > 1:
		c.addFlag(text)
	case found && resource.MatchString(strings.ToLower(text)):
		c.words = append(c.words, kind, name) // as in deployment/api
	default:
		c.words = append(c.words, strings.ToLower(text))
	}
}

// addFlag adds a flag, and the value that is in the same word. Go's programs, Terraform and others
// write long flags with one dash.
func (c *Command) addFlag(text string) {
	flag, value, assigned := strings.Cut(text, "=")
	switch {
	case methodFlag.MatchString(flag):
		flag, value, assigned = flag[:2], flag[2:], true
	case shortFlags.MatchString(flag):
		for _, letter := range flag[1:] {
			c.flags = append(c.flags, "-"+string(letter))
		}
		return
	case !strings.HasPrefix(flag, "--"):
		flag = "-" + flag
	}
	c.flags = append(c.flags, flag)
	if assigned {
		c.words = append(c.words, strings.ToLower(value))
	}
}

// programName returns the name of a program without its folder, and one name of those that have
// several.
func programName(text string) string {
	name := strings.ToLower(path.Base(strings.Trim(text, "`$")))
	if other, ok := otherNames[name]; ok {
		return other
	}
	return name
}

var otherNames = map[string]string{
	"docker-compose": "docker compose", "gradle": "gradlew", "mvnw": "mvn", "python3": "python", "pip3": "pip",
	"mongo": "mongosh", "apt-get": "apt", "terragrunt": "terraform", "tofu": "terraform",
}

// isStarter reports whether a word starts the program behind it and says nothing of it.
func isStarter(text string) bool {
	return slices.Contains([]string{
		"sudo", "time", "nohup", "exec", "env", "command", "then", "do", "else", "if", "while", "!", "{", "npx", "bunx", "pnpx",
	}, text)
}

// everyday has programs that assistants call all day to read, build and test. Their quoted arguments are
// messages and patterns, and no commands.
var everyday = strings.Fields(`
	ls cat head tail grep rg find fd pwd echo printf wc stat file diff sort uniq which tree du df ps jq yq awk cut
	xargs mkdir touch cd export source test open code tee git gh go gofmt golangci-lint node tsc eslint prettier
	vitest jest cargo pytest ruff mypy make
`)

// isEveryday reports whether the call is of such a program, or of none.
func (c Command) isEveryday() bool { return len(c.words) == 0 || slices.Contains(everyday, c.words[0]) }
