package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
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

// name is a word of letters that one document has. Digits of an error do not count.
func name(i int) string {
	return "berth" + strings.Map(func(digit rune) rune { return digit - '0' + 'K' }, fmt.Sprintf("%05d", i))
}

// act is what an assistant does. Every other one is about what one document quotes.
func act(event string, i int) []map[string]any {
	known := name(i * hookDocuments / hookActs)
	if i%2 == 1 {
		known = name(hookDocuments + i)
	}
	random := newRandom(8, i)
	switch event {
	case "command":
		line := "cd x && " + known + " -v --purge all | tee log"
		return []map[string]any{{"event": "PreToolUse", "tool_name": "Bash", "command": line}}
	case "failure", "long failure":
		size := 2_000
		if event != "failure" {
			size = 20_000
		}
		log := strings.ReplaceAll(prose(random, size), ". ", "\n")
		output := "Exit code 2\n" + log + "\nfatal in " + known + ": the mooring is not free\n" + log
		return []map[string]any{{"event": "PostToolUseFailure", "tool_name": "Bash", "command": "make", "error": output}}
	case "edit":
		long := prose(random, 20_000)
		text := long + "\nALTER TABLE " + known + " DROP COLUMN mooring;\n" + long
		return []map[string]any{{"event": "PreToolUse", "tool_name": "Write", "file_path": "db/1.sql", "content": text}}
	case "subagent":
		return []map[string]any{
			{"event": "PreToolUse", "tool_name": "Agent", "prompt": "find out what " + known + " is and why it fails"},
			{"event": "SubagentStart", "agent_type": "Explore"},
		}
	default:
		question := "what is " + known + ", and what of " + known + "?"
		if event == "long prompt" {
			question += "\n" + prose(random, 40_000)
		}
		return []map[string]any{{"event": "UserPromptSubmit", "prompt": question}}
	}
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

// hookTime returns the 95th percentile of the calls of a hook while there is no Ollama, in
// milliseconds, of the event that takes longest.
func hookTime(ctx context.Context, b *bench) (worst float64, note string) {
	repo := b.newHookRepository("hooks", hookDocuments)
	server := b.startServer(ctx, b.newDatabase(ctx).url, nobody)
	server.activateText(ctx, repo)
	notes := []string{fmt.Sprintf("%d passages, over stdio, %d acts of a kind, half of them known", 2*hookDocuments, hookActs)}
	for _, event := range []string{"prompt", "long prompt", "command", "failure", "long failure", "edit", "subagent"} {
		var took []time.Duration
		warmup, rounds, shown := 2*hookActs, b.size(200, 600), 0
		for i := range warmup + rounds {
			for _, call := range act(event, i%hookActs) {
				var answer map[string]any
				call["session_id"] = event + strconv.Itoa(i/hookActs)
				began := time.Now()
				check(server.Call(ctx, "recall", call, &answer))
				if i >= warmup {
					took = append(took, time.Since(began))
					shown += len(answer)
				}
			}
		}
		p95 := ms(percentile(took, 95))
		worst = max(worst, p95)
		notes = append(notes, fmt.Sprintf("%s: median %s, p95 %s ms, a document for %d of %d",
			event, number(ms(median(took))), number(p95), shown, rounds))
	}
	return worst, strings.Join(notes, "; ")
}
