package main

import (
	"fmt"
	"strings"
)

const (
	// hookDocuments have two passages each. Each quotes a command, a statement and an error, and one of declaring has five triggers.
	hookDocuments = 5000
	declaring     = 5
	// hookActs is how many different acts of a kind there are. A session has each once.
	hookActs = 20
	// nobody is an Ollama that is not there.
	nobody = "http://127.0.0.1:1"
)

// name is a name in code that one document has. Digits of an error do not count.
func name(i int) string {
	return "berth_" + strings.Map(func(digit rune) rune { return digit - '0' + 'K' }, fmt.Sprintf("%05d", i))
}

// commandAct is a command of an assistant, about what one document quotes.
func commandAct(i int) map[string]any {
	line := "cd x && " + name(i*hookDocuments/hookActs) + " -v --purge all | tee log"
	return map[string]any{"event": "PreToolUse", "tool_name": "Bash", "command": line}
}

// newHookRepository makes a project of documents that quote and declare what acts do.
func (b *bench) newHookRepository(project string, documents int) *repository {
	repo := b.newRepository(project, documents, 7)
	for i := range documents {
		text := document(newRandom(7, i), i, 1) + "\nNever run `NAME --purge`, and never `ALTER TABLE NAME DROP COLUMN`.\n" +
			"\n```\nfatal in NAME: the mooring is not free\n```\n"
		if i%declaring == 0 {
			text = strings.Replace(text, "---\n", "---\ntriggers: ["+strings.Join([]string{
				"{run: NAME --purge}", `{run: "psql|mysql ALTER TABLE NAME", with: prod}`, "{run: make NAME|all, without: --check}",
				`{edit: "db/*.sql", writes: ALTER TABLE NAME DROP*}`, "{fails: fatal in NAME}",
			}, ", ")+"]\n", 1)
		}
		writeFile(repo.path(i), strings.ReplaceAll(text, "NAME", name(i)))
	}
	return repo
}
