package codename

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
	"github.com/compound-docs/compound-docs/rag/markdown"
	"github.com/compound-docs/compound-docs/rag/said"
)

// These patterns tell whether a line defines a name, by the text before and behind the name. No parser covers all of
// these languages, and only the few lines with a name that is in a document are checked.
var (
	// remark matches a line of a comment, or an import.
	remark = lazyregexp.New(`^\s*(?://|/?\*|--|# |import\b|from\b|use\b|using\b|#include|require\b)`)
	// announced matches the text before a defined name: a keyword such as func or class, SQL such as CREATE TABLE, or a
	// quotation mark after a word such as table, env or define.
	announced = lazyregexp.New(`(?:^|[\s({;])(?:func|fun|fn|def|function\*?|class|interface|trait|protocol|actor|object|record|` +
		`mod|module|namespace|type|typealias|macro_rules!|#\s*define|delegate|struct|enum|union)\s+` +
		`(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?(?:[\w<>,?]+(?:\.|::))*$|` +
		`(?i:\b(?:create\s[\w\s]*?(?:table|view|function|procedure|trigger|type)|alter\s+table)\s+` +
		`(?:if\s+(?:not\s+)?exists\s+|only\s+)?(?:[\w"\x60]+\.)?["\x60\[]?$)|` +
		`(?i:(?:table\w*|schema::create)\W*(?:name\s*=\s*)?["'\x60:]$)|` +
		`(?i:\benv\w*(?:\.\w+)?\W{1,3}$|\bdefine\(\s*["']$)`)
	// cType matches the text before a type of C. The line defines the type if cMembers matches the text behind the type.
	cType    = lazyregexp.New(`\b(?:class|struct|enum|union)\s+$`)
	cMembers = lazyregexp.New(`^\s*(?:final\s*)?(?:\{|:[^:]|$)`)
	// variable matches the text before a variable that has a modifier or is not indented. given matches the text behind
	// the variable if it assigns a value.
	variable = lazyregexp.New(`^(?:\s*(?:(?:export|pub(?:\([^)]*\))?|public|private|protected|internal|static|declare|constexpr|` +
		`readonly|final|const)\s+)+|)(?:const|let|var|val|static|type)?\b\s*(?:mut\s+)?(?:[\w:<>\[\],.?]+\s+)*[*&]?$|^\}\s*$`)
	given = lazyregexp.New(`^(?:\[\w*\])?\s*(?::[^=]+)?=(?:[^=>~]|$)`)
	// typed matches the text before the name of a function, with the result type. called matches the parenthesis behind
	// the name. A line that matches the pattern statement uses the name, but does not define it.
	typed     = lazyregexp.New(`^$|^\s*(?:[A-Za-z_<][\w:<>\[\],.?*&]*\s+)+[*&]*(?:\w+::)*$`)
	statement = lazyregexp.New(`^\s*(?:return|else|throw|new|await|yield|case|not|in|if|delete|goto|co_\w+)\b`)
	called    = lazyregexp.New(`^\s*(?:<[^>]*>)?\s*\(`)
	// member and memberBody match the text around a method of JavaScript or a function of a shell. property and
	// propertyBody match the text around a name to which a function is assigned.
	member       = lazyregexp.New(`^\s*(?:(?:async|static|get|set|public|private|protected|override|abstract)\s+|\*|#)*$`)
	memberBody   = lazyregexp.New(`^\s*(?:<[^>]*>)?\(.*\)\s*(?::[^{]*)?\{\s*$|^\s*\(\)\s*\{`)
	property     = lazyregexp.New(`^\s*(?:\w+\.)*$`)
	propertyBody = lazyregexp.New(`^\s*[:=]\s*(?:async\s*)?(?:function\b|\(.*=>|\w+\s*=>|\($)`)
	literal      = lazyregexp.New("[\"'\x60]((?:[A-Z]+ )?[^\"'\x60\\s]+)[\"'\x60]")
	// router matches the text before a route, caller matches a call of a route, and optioned matches a flag's line.
	router = lazyregexp.New(`(?i)(?:\b(?:get|post|put|patch|delete|head|any|all|use|match|mount|path|url|resource)|route\w*|` +
		`handle\w*|mapping|map\w+|endpoint\w*)["']?\s*[(:=,\[\s]`)
	caller   = lazyregexp.New(`(?i)\b(?:fetch|axios|requests|client|await|curl|expect|assert\w*)\b`)
	optioned = lazyregexp.New(`(?i)flag|option|argument|\blong\b|parser?\b|param`)

	groupStart = regexp.MustCompile(`^(?:const|var|type) \($`)
)

// Extensions of files, by groups of languages.
const (
	inC        = ".c .h .cc .cpp .cxx .hpp .hh .m .mm .ino"
	inHeaders  = ".h .hpp .hh"
	withTypes  = inC + " .java .cs .dart"
	withBraces = ".js .jsx .ts .tsx .mjs .cjs .vue .svelte .sh .bash .zsh"
)

// maxCodeLine bounds the lines that the function definitions reads, in bytes. Nobody writes longer lines by hand.
const maxCodeLine = 1000

// definitions returns known names, routes and flags that a text of code defines, each once. Names are as in foldName.
func definitions(file, text string, known func(key string) bool) (all []string) {
	extension := strings.ToLower(path.Ext(file))
	if markdown.HasExtension(file) || extension == ".mdc" { // code in markdown is an example
		return nil
	}
	before, inGroup := "", false // inGroup: the line is in a const, var or type block of Go
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		inGroup = extension == ".go" && (inGroup && line != ")" || groupStart.MatchString(line))
		if len(line) > maxCodeLine {
			continue
		}
		keys := literalsIn(before, line)
		isOutside := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		for word := range strings.FieldsFuncSeq(line, isOutside) {
			key := foldName(word)
			if known(key) && (inGroup && strings.HasPrefix(line, "\t"+word) || defines(extension, line, word)) {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			if known(key) && !slices.Contains(all, key) && !remark().MatchString(line) {
				all = append(all, key)
			}
		}
		before = line
	}
	return all
}

// defines reports whether a line defines the name in it. The file's extension tells the language.
func defines(extension, line, name string) bool {
	isIn := func(extensions string) bool { return slices.Contains(strings.Fields(extensions), extension) }
	before, behind, _ := strings.Cut(line, name)
	isConstant := strings.ToUpper(name) == name && strings.TrimSpace(before) == ""
	switch {
	case isIn(inC) && cType().MatchString(before):
		return cMembers().MatchString(behind)
	case announced().MatchString(before):
		return true
	case statement().MatchString(line):
		return false
	case isConstant && given().MatchString(behind):
		return true
	case extension != ".sql" && variable().MatchString(before) && (given().MatchString(behind) || isIn(withTypes) && behind == ";"):
		return true
	case isIn(withTypes) && called().MatchString(behind) && typed().MatchString(before):
		return !isIn(inC) || isIn(inHeaders) || !strings.HasSuffix(line, ";") // in C, a line that ends in ; only calls or declares
	default:
		return (extension == "" || isIn(withBraces)) && (member().MatchString(before) && memberBody().MatchString(behind) ||
			property().MatchString(before) && propertyBody().MatchString(behind))
	}
}

// literalsIn returns the routes and flags that a line defines. The definition of a flag may begin in the line before.
func literalsIn(before, line string) (keys []string) {
	if !strings.ContainsAny(line, "\"'`") || !strings.ContainsAny(line, "-/") {
		return nil
	}
	for _, at := range literal().FindAllStringSubmatchIndex(line, -1) {
		text := line[at[2]:at[3]]
		route, flag := said.RouteKey(text), said.LongFlag("--"+strings.TrimLeft(text, "-"))
		if route != "" && router().MatchString(line[:at[2]]+" ") && !caller().MatchString(line) {
			keys = append(keys, route)
		}
		if flag != "" && optioned().MatchString(before+line) {
			keys = append(keys, flag)
		}
	}
	return keys
}
