package trigger

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Line is a line of shell in the form that triggers compare.
type Line struct {
	calls []call
	// Writes are the edits that the line makes.
	Writes []Edit
}

// Edit is a change of one file, in which New replaces Old. Either text is "" if unknown.
type Edit struct {
	Path, New, Old string
	// Creates says that the file does not exist yet.
	Creates bool
}

// call is one command of a line: a program with its words. If a wrapper such as sudo runs another program, each of the
// two is a call.
type call struct {
	program string
	// own has the words after the program. brought has the words from a pipe, a here-document or a redirection.
	own, brought []word
	// outer are the words of the wrappers around the program, and the assignments before the program.
	outer []word
	// folder is the folder in which the program runs, as far as the line says it.
	folder string
	// sql says that the call is an SQL statement from a tool. own has the words of the statement, and program is "".
	sql bool
}

const (
	// maxLine is how many bytes of a line are read. maxCalls bounds the calls in a line.
	maxLine  = 16 << 10
	maxCalls = 500
	// maxNested bounds how deep lines may be nested in arguments of other lines, as in bash -c '…'.
	maxNested = 4
)

// Read parses a line of shell that runs in a folder. It reads a line with a syntax error as well as it can.
func Read(line, folder string) Line {
	r := &reader{folder: folder}
	r.parseLine(line[:min(len(line), maxLine)], nil, 0)
	return Line{calls: r.calls, Writes: r.writes}
}

// Statement returns a line for an SQL statement that a tool sends to a database.
func Statement(sql string) Line {
	return Line{calls: []call{{own: wordsOf(sql[:min(len(sql), maxLine)]), sql: true}}}
}

// reader collects the calls of a line. folder is the present folder, which a cd in the line changes.
type reader struct {
	calls  []call
	writes []Edit
	folder string
	// pipeWords are the words of the command whose output goes to the present command. xargs passes them to its program.
	pipeWords []word
}

// parseLine reads a line of shell. If the line is an argument of another call, outer has the words of that call.
func (r *reader) parseLine(line string, outer []word, depth int) {
	if depth > 0 {
		defer func(folder string) { r.folder = folder }(r.folder) // a cd in another shell has no effect here
	}
	parsed, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		r.split(line, outer, depth)
		return
	}
	piped, before := map[*syntax.Stmt]string{}, map[*syntax.Stmt][]word{} // text and words that a pipe brings to a statement
	var visit func(node syntax.Node) bool
	visit = func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Subshell:
			folder := r.folder
			for _, statement := range node.Stmts {
				syntax.Walk(statement, visit)
			}
			r.folder = folder
			return false
		case *syntax.BinaryCmd:
			if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
				piped[node.Y], before[node.Y] = pipedBy(node.X)
			}
		case *syntax.Stmt:
			if len(r.calls) < maxCalls {
				r.pipeWords = before[node]
				r.statement(node, piped[node], outer, depth)
			}
		}
		return true
	}
	syntax.Walk(parsed, visit)
}

// split reads a line that does not parse. It splits commands at &&, ||, ; and |, and words at spaces.
func (r *reader) split(line string, outer []word, depth int) {
	line = strings.NewReplacer("&&", "\n", "||", "\n", ";", "\n", "|", "\n").Replace(line)
	for part := range strings.Lines(line) {
		var args []string
		for field := range strings.FieldsSeq(part) {
			args = append(args, strings.Trim(field, `'"()`))
		}
		for len(args) > 0 && slices.Contains(keywords, args[0]) {
			args = args[1:]
		}
		if len(args) > 0 && len(r.calls) < maxCalls {
			r.run(args, starts(args), nil, outer, depth)
		}
	}
}

// keywords are words of a shell that stand before a command.
var keywords = strings.Fields("if then else elif while until do ! { (")

// statement reads a simple command with its redirections. parseLine also calls it for commands in a loop or function.
func (r *reader) statement(s *syntax.Stmt, piped string, outer []word, depth int) {
	text, brought := piped, wordsOf(piped)
	var files []string
	for _, redirect := range s.Redirs {
		target := textOf(redirect.Word)
		switch redirect.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			text = textOf(cmp.Or(redirect.Hdoc, redirect.Word))
			brought = append(brought, wordsOf(text)...)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrIn:
			if redirect.Op != syntax.RdrIn {
				files = append(files, target)
			}
			brought = append(brought, newWord(redirect.Op.String()))
			brought = append(brought, wordsOf(target)...)
		default:
		}
	}
	if declared, isDeclaration := s.Cmd.(*syntax.DeclClause); isDeclaration { // export and similar commands
		own := assignments(declared.Args)
		r.calls = append(r.calls, call{program: declared.Variant.Value, own: own, brought: brought, folder: r.folder})
	}
	called, isCall := s.Cmd.(*syntax.CallExpr)
	if !isCall {
		return
	}
	var args []string
	for _, arg := range called.Args {
		args = append(args, textOf(arg))
	}
	assigned := slices.Concat(outer, assignments(called.Assigns))
	if len(args) == 0 {
		return
	}
	if isPrinter(args[0]) && text == piped {
		text = strings.Join(args[1:], " ")
	}
	for _, file := range files {
		r.write(file, text)
	}
	programs := starts(args)
	r.run(args, programs, brought, assigned, depth)
	r.writeFiles(args, programs, text)
	if runsText(args[0]) && text != "" && depth < maxNested { // bash <<EOF, echo … | ssh host
		r.parseLine(text, append(assigned, wordsOf(strings.Join(args, " "))...), depth+1)
	}
}

// assignments returns the words of assignments, such as PGHOST=db.
func assignments(assigns []*syntax.Assign) []word {
	var words []word
	for _, assign := range assigns {
		if assign.Name != nil {
			words = append(words, newWord(assign.Name.Value+"="+textOf(assign.Value)))
		}
	}
	return words
}

// run adds a call for each program in args, and reads arguments that may be lines of shell. programs has the indexes of
// the words that may be programs.
func (r *reader) run(args []string, programs []int, brought, outer []word, depth int) {
	if (args[0] == "cd" || args[0] == "pushd") && len(args) > 1 {
		r.folder = path.Join(r.folder, args[len(args)-1])
		if path.IsAbs(args[len(args)-1]) {
			r.folder = path.Clean(args[len(args)-1])
		}
	}
	for _, start := range programs {
		c := call{program: programName(args[start]), brought: brought, outer: outer, folder: r.folder}
		for _, arg := range args[start+1:] {
			words := wordsOf(arg)
			c.own = append(c.own, words...)
			if len(words) > 1 {
				c.own = append(c.own, word{parts: []string{fold(arg)}, isArgument: true})
			}
		}
		for _, arg := range args[:start] {
			c.outer = append(slices.Clip(c.outer), wordsOf(arg)...)
		}
		if start > 0 && (args[0] == "xargs" || args[0] == "parallel") {
			c.brought = append(slices.Clip(brought), r.pipeWords...)
		}
		r.calls = append(r.calls, c)
	}
	if depth == maxNested || !slices.ContainsFunc(programs, func(at int) bool { return runsText(args[at]) }) {
		return
	}
	inside := append(slices.Clip(outer), wordsOf(strings.Join(args[:min(len(args), 3)], " "))...)
	for _, arg := range args[1:] {
		if value, isFlag := strings.CutPrefix(arg, "-"); isFlag {
			_, arg, _ = strings.Cut(value, "=")
		}
		if strings.ContainsAny(strings.TrimSpace(arg), " \n;|&") {
			r.parseLine(arg, inside, depth+1)
		}
	}
}

// pipedBy returns what a statement pipes to the next command. text is the output of echo, printf and here-documents in
// the statement. words are the words of all commands in the statement.
func pipedBy(s *syntax.Stmt) (text string, words []word) {
	var printed []string
	syntax.Walk(s, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			for i, arg := range node.Args {
				words = append(words, wordsOf(textOf(arg))...)
				if i > 0 && isPrinter(textOf(node.Args[0])) {
					printed = append(printed, textOf(arg))
				}
			}
		case *syntax.Redirect:
			if node.Hdoc != nil {
				printed = append(printed, textOf(node.Hdoc))
			}
		}
		return true
	})
	return strings.Join(printed, " "), words
}

func isPrinter(program string) bool { return program == "echo" || program == "printf" }

// textOf returns a word without its quotes. A variable stays as it is, such as $HOME.
func textOf(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var text strings.Builder
	writeParts(&text, w.Parts, false)
	return text.String()
}

func writeParts(text *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(unescaped(part.Value, quoted))
		case *syntax.SglQuoted:
			value := part.Value
			if part.Dollar {
				value = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'").Replace(value)
			}
			text.WriteString(value)
		case *syntax.DblQuoted:
			writeParts(text, part.Parts, true)
		case *syntax.ParamExp:
			text.WriteString("$" + part.Param.Value)
		case *syntax.ExtGlob:
			text.WriteString(part.Op.String() + part.Pattern.Value + ")")
		default: // nobody knows what a command in $() prints
			text.WriteString("$()")
		}
	}
}

// unescaped removes backslashes. In double quotes it removes them only before some characters, as a shell does.
func unescaped(value string, quoted bool) string {
	var text strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) && (!quoted || strings.IndexByte("$`\"\\\n", value[i+1]) >= 0) {
			i++
			if value[i] == '\n' {
				continue
			}
		}
		text.WriteByte(value[i])
	}
	return text.String()
}
