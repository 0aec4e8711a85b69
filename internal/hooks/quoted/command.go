// Package quoted says whether a command line, or a text that is about to be written, is what a
// document quotes. It knows texts alone: neither files nor the index.
package quoted

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/terms"
)

// command is one call of a program in a command line.
type command struct { //nolint:recvcheck // filled through a pointer, and read by value
	// words are the program and its arguments in lower case, and flags have no values. programs are the words as names of
	// programs.
	words, flags, programs []string
	// name is the program as it is written. values are the words that follow flags, and examples are the words that
	// generalise has dropped.
	name             string
	values, examples []string
	// folder is where the command line has gone before, "" for where it began.
	folder string
	// by are the programs that start the program, as another user or in the background.
	by []string
	// shows says that the call only shows something, and isTrial that its flags make it do so.
	shows, isTrial bool
	// isRule says that a document plainly forbids it.
	isRule bool
	// isLiteral says that words in capitals are no placeholders.
	isLiteral bool
	// exact are words for which no other of the same form may stand, and optional are flags of parameters.
	exact, optional []string
}

// maxCommands bounds the calls of one command line, and maxLine its length in bytes.
const (
	maxCommands = 40
	maxLine     = 10_000
	// subcommands is how many words are a program, its command and perhaps that of a group.
	subcommands = 3
)

var (
	// shellWord matches a word with its quoted pieces, or a character that ends a call, as callEnd does.
	shellWord  = lazyregexp.New(`(?s)(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;|&()'"\\])+|[;|&()\n]`)
	callEnd    = lazyregexp.New(`^[;|&()\n]$`)
	redirected = lazyregexp.New(`\d?>&\d|&>|\s\d?>>?\s*[^\s&]+`)
	assignment = lazyregexp.New(`^[A-Za-z_]\w*=`)
	// starter matches words that start the program behind them.
	starter   = lazyregexp.New(`^(?:sudo|time|nohup|exec|env|command|then|do|else|if|while|!|\{|npx|bunx|pnpx)$`)
	takesUser = lazyregexp.New(`^(?:-[a-zA-Z]*[ugUpCR]|--(?:user|group|prompt|chdir))$`)
	// parameter is a long flag of several words.
	parameter = lazyregexp.New(`^--\w+-`)
	grave     = lazyregexp.New(`force|delete|remove|skip|no-|purge|overwrite|drop|hard|allow|ignore|unsafe|insecure`)
	// runner and interpreter run the program or the script behind them.
	runner = lazyregexp.New(`^(?:(?:bundle|pnpm|npm|yarn|bun) exec|` +
		`(?:uv|poetry|pipenv|pdm|bun|npm|pnpm|yarn) run|(?:pnpm|yarn) dlx)$`)
	interpreter = lazyregexp.New(`^(?:php|python3?|ruby|node|perl|bash|sh)$`)
	// shortFlags are flags of one letter behind one dash.
	shortFlags = lazyregexp.New(`^-[A-Za-z]{1,4}$`)
	marked     = lazyregexp.New(`[^a-z-]`)
	resource   = lazyregexp.New(`^[a-z]+/[\w-]+$`)
	// placeholder means any word.
	placeholder = lazyregexp.New(`^(?:<.*>|\{.*\}|\[.*\]|\$\{?\w+\}?|\.\.\.|…|\*)$`)
	// capitals are a placeholder too, or a part of one, except in programs that take statements or signals.
	capitals        = lazyregexp.New(`(?:^|[/:@=])[A-Z][A-Z0-9_]*(?:$|[/:@])`)
	takesStatements = lazyregexp.New(`^(?:redis-cli|psql|mysql|mariadb|sqlite3|sqlcmd|clickhouse-client|cqlsh|mongosh|` +
		`curl|http|kill|pkill|trap)$`)
	// amount is the value of a flag that counts only beside its sign. A negative one is no flag.
	amount          = lazyregexp.New(`^(?:\d[\d.]*[A-Za-z]{0,2}|auto|max)$`)
	negative        = lazyregexp.New(`^-\d[\d.]*$`)
	shortWithAmount = lazyregexp.New(`^-[A-Za-z]\d+$`)
	// showing matches commands that only show something, and trial flags with which others do.
	// executing matches the beginning of a call that runs another program.
	executing = lazyregexp.New(`^(?:ssh|xargs|srun|su|chroot|parallel|watch|timeout)\b|\b(?:exec|run)\b`)
	showing   = lazyregexp.New(`^(?:get|describe|logs?|top|status|show|list|ls|view|plan|preview|validate|diff|version|help|info|` +
		`history|inspect|ps|(?:get|describe|list|show|is)-[\w-]+)$`)
	trial    = lazyregexp.New(`^(?:--(?:dry-?run|help|version|check|noop|simulate)(?:=.*)?|-[avr]*n[avr]+|-[avr]+n)$`)
	ellipsis = strings.NewReplacer("…", "*", "...", "*")
	unquoted = strings.NewReplacer(`'`, "", `"`, "", `\`, "")
)

// commandsIn reads a command line of a shell: the calls in it, without assignments of variables
// and redirections.
func commandsIn(line string) []command { return appendCommands(nil, line, true) }

// appendCommands also reads lines in quotation marks, which a program runs elsewhere, such as ssh.
func appendCommands(commands []command, line string, isOuter bool) []command {
	var call []string
	line = strings.ReplaceAll(line[:min(len(line), maxLine)], " `\n", " ") // PowerShell: the command goes on
	line = redirected().ReplaceAllString(line, " ")
	for _, word := range append(shellWord().FindAllString(line, -1), ";") {
		if !callEnd().MatchString(word) {
			call = append(call, word)
			continue
		}
		if c := newCommand(call); c.size() > 0 && len(commands) < maxCommands {
			if last := len(commands) - 1; last >= 0 {
				c.folder = commands[last].leads()
			}
			commands = append(commands, c)
			if last := call[len(call)-1]; isOuter && len(call) > 1 && strings.ContainsAny(last, "'\"") && !c.isEveryday() {
				commands = appendCommands(commands, last[1:max(1, len(last)-1)], false)
			}
		}
		call = nil
	}
	return commands
}

// leads returns the folder of the call behind this one.
func (c command) leads() string {
	if len(c.words) > 1 && c.words[0] == "cd" {
		return c.words[1]
	}
	return c.folder
}

func newCommand(call []string) command {
	call, settings, by := startedBy(call)
	c := command{by: by}
	if len(call) > 0 && !strings.HasPrefix(call[0], "-") { // otherwise a flag alone
		program := path.Base(strings.Trim(unquoted.Replace(call[0]), "`$"))
		c.isLiteral = program == strings.ToUpper(program) || takesStatements().MatchString(program)
		c.name = strings.ToLower(program)
		c.words, call = strings.Fields(usualName(c.name)), call[1:]
	}
	isValue := false // of the flag before
	for _, word := range call {
		word = unquoted.Replace(word)
		if strings.Contains(word, " ") && c.isEveryday() { // a message or a pattern
			continue
		}
		for field := range strings.FieldsSeq(word) { // also of a command or a statement in quotation marks
			isValue = c.addField(strings.Trim(field, "`(),;"), isValue)
		}
	}
	if len(c.words) > 0 {
		for _, setting := range settings {
			c.add(setting)
		}
	}
	if len(c.words) == subcommands && c.words[0] == "svc" {
		c.words = []string{"systemctl", c.words[2], c.words[1]}
	}
	for _, word := range c.words {
		c.programs = append(c.programs, programOf(word))
	}
	c.isTrial = slices.ContainsFunc(call, trial().MatchString) || len(call) > 1 && call[len(call)-1] == "-n"
	isFilter := len(c.words) > 0 && c.words[0] == "sed" && !slices.Contains(c.flags, "-i")
	names := c.words[min(1, len(c.words)):min(subcommands, len(c.words))]
	if last := len(c.words) - 1; len(names) > 0 && slices.Contains(names, "version") && c.words[last] != "version" {
		names = nil
	}
	c.shows = c.isTrial || isFilter || slices.ContainsFunc(names, showing().MatchString)
	return c
}

// startedBy returns a call without the programs and interpreters that start its program, the settings of variables
// before it, and those of the programs that make a difference.
func startedBy(call []string) (program, settings, by []string) {
	for len(call) > 0 && (assignment().MatchString(call[0]) || starter().MatchString(call[0])) {
		switch {
		case assignment().MatchString(call[0]):
			settings = append(settings, call[0])
		case slices.Contains(differing, call[0]):
			by = append(by, call[0])
		}
		for len(call) > 2 && call[0] == "sudo" && strings.HasPrefix(call[1], "-") { // with flags of its own
			if takesUser().MatchString(call[1]) {
				call = slices.Delete(slices.Clone(call), 1, 2)
			}
			call = slices.Delete(slices.Clone(call), 1, 2)
		}
		call = call[1:]
	}
	switch {
	case len(call) > subcommands && runner().MatchString(call[0]+" "+call[1]):
		call = call[2:]
	case len(call) > 1 && interpreter().MatchString(call[0]) && strings.Contains(call[1], "/"):
		call = call[1:]
	}
	return call, settings, by
}

// differing are starters that a rule may be about.
var differing = []string{"sudo", "nohup"}

// addField adds an argument, which may be the value of the flag before it, and reports whether the next may be its value.
func (c *command) addField(field string, isValue bool) bool {
	known, last := len(c.words), len(c.flags)-1
	isFlag := strings.HasPrefix(field, "-")
	if !isValue || !amount().MatchString(field) {
		c.add(field)
	}
	if isValue {
		c.values = append(c.values, c.words[known:]...)
	}
	isParameter := isValue && !isFlag && last >= 0 && c.name != ""
	if isParameter && parameter().MatchString(c.flags[last]) && !grave().MatchString(c.flags[last]) {
		c.optional = append(c.optional, c.flags[last])
	}
	return isFlag && !strings.Contains(field, "=")
}

// add adds a word. A flag loses its value, which becomes a word. Go's programs, Terraform and others write long
// flags with one dash.
func (c *command) add(text string) {
	if !c.isLiteral && !assignment().MatchString(text) {
		text = capitals().ReplaceAllStringFunc(text, anyWord)
	}
	text = ellipsis.Replace(text)
	flag, value, _ := strings.Cut(text, "=")
	text = strings.ToLower(text)
	switch {
	case text == "" || placeholder().MatchString(text):
	case len(c.words) > 0 && c.words[0] == "kubectl" && resource().MatchString(text): // deployment/api
		kind, name, _ := strings.Cut(text, "/")
		c.words = append(c.words, usualName(kind), name)
	case !strings.HasPrefix(text, "-") || negative().MatchString(text):
		c.words = append(c.words, usualName(text))
	case shortWithAmount().MatchString(flag):
		c.flags = append(c.flags, flag[:2])
	case shortFlags().MatchString(flag):
		for _, letter := range flag[1:] {
			c.flags = append(c.flags, "-"+string(letter))
		}
	default:
		c.flags = append(c.flags, "--"+strings.TrimLeft(flag, "-"))
		if value != "" && value != "*" && !amount().MatchString(value) {
			c.words, c.values = append(c.words, strings.ToLower(value)), append(c.values, strings.ToLower(value))
		}
	}
}

// anyWord puts * for a placeholder between two separators.
func anyWord(text string) string {
	name := strings.Trim(text, "/:@=")
	if name == "HEAD" { // of git
		return text
	}
	return strings.Replace(text, name, "*", 1)
}

// usualName returns one name of a program or of a resource of Kubernetes that has several.
func usualName(name string) string { return cmp.Or(usualNames[name], name) }

var usualNames = map[string]string{
	"docker-compose": "docker compose", "gradle": "gradlew", "mvnw": "mvn", "python3": "python", "pip3": "pip",
	"mongo": "mongosh", "apt-get": "apt", "terragrunt": "terraform", "tofu": "terraform",
	"persistentvolumeclaim": "pvc", "persistentvolumeclaims": "pvc", "deployment": "deploy", "deployments": "deploy",
	"statefulset": "sts", "service": "svc", "namespace": "ns", "configmap": "cm", "pods": "pod", "po": "pod", "nodes": "node",
	"rake": "rails", "i": "install",
}

// everyday has programs that assistants call all day to read, build and test.
var everyday = strings.Fields(`
	ls cat head tail grep rg find fd pwd echo printf wc stat file diff sort uniq which tree du df ps jq yq awk cut
	xargs mkdir touch cd export source test open code tee git gh go gofmt gofumpt golangci-lint node tsc eslint prettier
	vitest jest cargo pytest ruff black mypy make vi vim nano less more bat rubocop rspec journalctl
`)

// isEveryday reports whether the call is of such a program, or of none.
func (c command) isEveryday() bool { return len(c.words) == 0 || slices.Contains(everyday, c.words[0]) }

// head is the program with its command.
func (c command) head() command {
	words := subcommands - 1
	if len(c.words) > 0 && c.words[0] == "docker" {
		words++
	}
	return command{words: c.words[:min(words, len(c.words))]}
}

func (c command) size() int { return len(c.words) + len(c.flags) + len(c.examples) }

// generalise drops the values of a command if one of some terms names another word or a flag of it.
func (c *command) generalise(about []string) {
	isNamed := func(word string) bool {
		isAbout := func(term string) bool { return slices.Contains(about, term) }
		return isAbout(word) || slices.ContainsFunc(terms.Distinct(terms.English, word), isAbout)
	}
	first := slices.IndexFunc(c.words[min(1, len(c.words)):], isNamed)
	if first < 0 && !slices.ContainsFunc(c.flags, isNamed) {
		return
	}
	c.exact = slices.DeleteFunc(slices.Clone(c.words), func(word string) bool { return !isNamed(word) })
	kept := max(1, min(subcommands-1, len(c.words)-len(c.values)), first+1)
	all := c.words
	c.words = nil
	for i, word := range all {
		isExample := marked().MatchString(word) || slices.Contains(c.values, word) || i >= subcommands
		if i < kept || !isExample || isNamed(word) {
			c.words = append(c.words, word)
		} else {
			c.examples = append(c.examples, word)
		}
	}
}

// likeness says how like the call is to a quoted command, from 0 for another program to 1. A word or flag of both counts
// 1, and two words of the same form count half.
func (c command) likeness(quoted command) float64 {
	const ofForm = .5
	isProgram := func(word string) bool { return programOf(word) == quoted.words[0] }
	program := slices.IndexFunc(c.words, isProgram)
	same, left := 1.0, slices.Delete(slices.Clone(c.words), program, program+1)
	for _, word := range quoted.words[1:] {
		at, counts := slices.Index(left, word), 1.0
		if at < 0 {
			at, counts = slices.IndexFunc(left, func(other string) bool { return formOf(other) == formOf(word) }), ofForm
		}
		if at >= 0 {
			same, left = same+counts, slices.Delete(left, at, at+1)
		}
	}
	for _, flag := range quoted.flags {
		if slices.ContainsFunc(c.flags, func(other string) bool { return isSame(flag, other) }) {
			same++
		}
	}
	return 2 * same / float64(len(quoted.words)+len(quoted.flags)+len(c.words)+len(c.flags))
}

// formOf says of what form an argument is: a path, a number or a name with a mark, "" for a plain word.
func formOf(word string) string {
	word = numbered().ReplaceAllString(word, "#")
	if strings.Contains(word, "=") {
		return word
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("/@#*", r) {
			return r
		}
		return -1
	}, strings.Replace(word, "-#", "*#", 1))
}

// starts reports whether the call is of a program, or starts it.
func (c command) starts(program string) bool {
	return slices.ContainsFunc(c.words, func(word string) bool { return path.Base(word) == program })
}

// contains reports whether all of a quoted command is in the call: its words in their order, from its program on,
// and its flags.
func (c command) contains(quoted command) bool {
	for i, program := range c.programs {
		if len(quoted.words) > 0 && program == quoted.words[0] && c.isProgram(i) && c.has(quoted, i) {
			return true
		}
	}
	return false
}

// programOf returns the name of a program, or that of an image without its version.
func programOf(word string) string {
	name, _, _ := strings.Cut(path.Base(word), ":")
	return name
}

// isProgram reports whether a word of the call may be a program, and not the command of another, as in git rm.
func (c command) isProgram(at int) bool {
	return at == 0 || !slices.Contains(namesOfCommands, c.words[at]) || c.executes(at)
}

// executes reports whether the words before one run another program.
func (c command) executes(at int) bool {
	return executing().MatchString(strings.Join(c.words[:at], " "))
}

// namesOfCommands are programs whose names are also those of the commands of other programs.
var namesOfCommands = strings.Fields("rm cp mv ls cat find sync stat diff test kill install tag")

// has reports whether the call has the words of a quoted command after the first ones, and its flags. Behind the program
// and its command the order does not count: words may be the values of flags.
func (c command) has(quoted command, after int) bool {
	from, last := after, len(quoted.words)-1
	for at, word := range quoted.words {
		form := formOf(word)
		isOther := at >= subcommands && at == last && len(c.words)-after > last // the last may be any word
		isMeaning := form == "#" && len(c.words) > 0 && exact().MatchString(c.words[0])
		isExample := at > 0 && !c.isEveryday() && !slices.Contains(quoted.exact, word) && (form != "" && !isMeaning || isOther)
		if quoted.isRule { // of a rule only the places are examples
			isExample = at > 0 && strings.Contains(form, "/") && !slices.Contains(quoted.exact, word)
		}
		i := slices.IndexFunc(c.words[from:], func(other string) bool {
			return c.isMeant(word, other) || isExample && form == formOf(other)
		})
		if i < 0 || quoted.isRule && at == 1 && !c.isLiteral && c.hasCommandBefore(from, from+i) {
			return false
		}
		from = after
		if at == 0 {
			from += i + 1
		}
	}
	return !slices.ContainsFunc(quoted.flags, func(flag string) bool {
		isFlag := func(other string) bool { return isSame(flag, other) }
		return !slices.ContainsFunc(c.flags, isFlag) && !slices.Contains(quoted.optional, flag)
	})
}

// hasCommandBefore reports whether a word between two indexes may be a command, as worktree in git worktree add.
func (c command) hasCommandBefore(from, to int) bool {
	return slices.ContainsFunc(c.words[from:to], func(word string) bool {
		return plainWord().MatchString(word) && !slices.Contains(c.values, word)
	})
}

// isMeant reports whether a quote means a word of the call. A pattern means what it matches, and a file of data means
// other files with its ending. A folder means files below it, and a path, task or name its end. A host also has its domain,
// and a name with numbers may have others.
func (c command) isMeant(quoted, word string) bool {
	if _, address, ok := strings.Cut(word, "://"); ok && quoted != word {
		word = address
	}
	matched, err := path.Match(quoted, word)
	return quoted == word || err == nil && matched || strings.HasSuffix(word, "."+quoted) ||
		strings.HasSuffix(word, "/"+strings.TrimPrefix(quoted, "/")) ||
		bareFile().MatchString(quoted) && !codeFile().MatchString(quoted) && path.Ext(quoted) == path.Ext(word) ||
		strings.HasPrefix(c.kindOf(word), strings.TrimSuffix(c.kindOf(quoted), "/")+"/") ||
		strings.HasPrefix(word, ":") && strings.HasSuffix(word, ":"+strings.TrimPrefix(quoted, ":")) ||
		strings.HasPrefix(quoted, ":") && strings.HasSuffix(quoted, ":"+word) || c.kindOf(word) == quoted+"_#" ||
		strings.HasPrefix(word, quoted+".") && numbered().MatchString(quoted) ||
		!exact().MatchString(c.words[0]) && c.kindOf(quoted) == c.kindOf(word)
}

var (
	unitEnd  = lazyregexp.New(`\.(?:service|timer|socket|mount|target|slice)$`)
	instance = lazyregexp.New(`@.*$`)
	numbered = lazyregexp.New(`\b[0-9a-f]*\d[0-9a-f]{6,}\b|\d[\d.]*`)
	version  = lazyregexp.New(`[:=@]v?\d`)
	// plainWord is what a command is named, unlike a file or a number.
	plainWord = lazyregexp.New(`^[a-z][a-z-]{2,}$`)
	hasUnits  = lazyregexp.New(`^(?:systemctl|journalctl|service)$`)
	// exact are programs whose numbers have a meaning.
	exact = lazyregexp.New(`^(?:kill|pkill|killall|chmod|nvm|pyenv|rbenv|asdf|fnm|volta|apt|brew)$`)
)

// kindOf returns a word without its numbers, unless they are a version, and a unit of systemd without instance and end.
func (c command) kindOf(word string) string {
	if hasUnits().MatchString(c.words[0]) {
		word = instance().ReplaceAllString(unitEnd().ReplaceAllString(word, ""), "@")
	} else if version().MatchString(word) {
		return word
	}
	return numbered().ReplaceAllString(word, "#")
}

// isSame reports whether two flags are the same, or the short and the long form of one.
func isSame(flag, other string) bool {
	if len(flag) > len(other) {
		flag, other = other, flag
	}
	return flag == other || len(flag) == 2 && len(other) > 3 && strings.EqualFold(other[2:3], flag[1:]) &&
		!strings.Contains(other[2:], "-")
}
