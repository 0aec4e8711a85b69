package trigger

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/lazyregexp"
)

// write records that the line writes text to file, a path relative to r.folder. It ignores devices and variables.
func (r *reader) write(file, text string) {
	isElsewhere := strings.HasPrefix(file, "/dev/") || strings.HasPrefix(file, "~") || strings.ContainsAny(file, "$&")
	if file == "" || file == "-" || isElsewhere {
		return
	}
	if !path.IsAbs(file) {
		file = path.Join(r.folder, file)
	}
	r.writes = append(r.writes, Edit{Path: file, New: text})
}

// writeFiles records the files that the programs in args write. text comes from a pipe or a here-document.
func (r *reader) writeFiles(args []string, programs []int, text string) {
	for _, start := range programs {
		isFlag := func(arg string) bool { return strings.HasPrefix(arg, "-") && arg != "-" }
		words := slices.DeleteFunc(slices.Clone(args[start+1:]), isFlag)
		isFlagged := func(flag string) bool {
			return slices.ContainsFunc(args[start+1:], func(arg string) bool { return isSameFlag(flag, word{text: arg}) })
		}
		switch program := programName(args[start]); {
		case program == "tee":
			for _, file := range words {
				r.write(file, text)
			}
		case program == "sed" && isFlagged("-i"), program == "perl" && isFlagged("-i"):
			for _, file := range words[min(1, len(words)):] {
				r.write(file, words[0])
			}
		case slices.Contains([]string{"cp", "mv", "install", "ln"}, program) && len(words) > 1:
			target := words[len(words)-1]
			if strings.HasSuffix(target, "/") || target == "." {
				target = path.Join(target, path.Base(words[0]))
			}
			r.write(target, "")
		case program == "patch", program == "git" && len(words) > 0 && (words[0] == "apply" || words[0] == "am"):
			r.writes = append(r.writes, Patched(text)...)
		case slices.Contains([]string{"python", "python3", "node", "ruby", "perl", "php"}, program):
			script := text + "\n" + strings.Join(args[start+1:], "\n")
			for _, found := range scriptWrites().FindAllStringSubmatch(script, maxNested*maxNested) {
				r.write(cmp.Or(found[1], found[2]), script)
			}
		}
	}
}

// scriptWrites matches code of a script that opens a file to write to it.
var scriptWrites = lazyregexp.New(`\bopen\(\s*["']([^"']+)["']\s*,\s*(?:mode=)?["'][wa]|` +
	`(?:\bPath|\bwriteFile(?:Sync)?|\bFile\.write|\bappendFile(?:Sync)?)\(\s*["']([^"']+)["']`)

// Patched returns the edits of a patch, in the format of diff -u or of apply_patch from Codex.
func Patched(patch string) []Edit {
	var edits []Edit
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		file, isFile := line, false // file is the path of the file that the patch changes
		for _, mark := range []string{"+++ b/", "+++ ", "*** Update File: ", "*** Add File: "} {
			if !isFile {
				file, isFile = strings.CutPrefix(line, mark)
			}
		}
		switch last := len(edits) - 1; {
		case isFile && file != "/dev/null":
			file, _, _ = strings.Cut(strings.TrimSpace(file), "\t")
			edits = append(edits, Edit{Path: file, Creates: strings.HasPrefix(line, "*** Add")})
		case last >= 0 && strings.HasPrefix(line, "+"):
			edits[last].New += line[1:] + "\n"
		case last >= 0 && strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "--- "):
			edits[last].Old += line[1:] + "\n"
		}
	}
	return edits
}
