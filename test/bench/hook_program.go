package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// commandLine returns the median processor time of `search` in a project of 1,400 documents, while a server runs.
func commandLine(ctx context.Context, b *bench) (cpu float64, note string) {
	repo := b.newHookRepository("cli", 1400)
	url := b.newDatabase(ctx).url
	in := mcpclient.Installation{Program: b.program, Root: repo.root, Home: b.dir, DatabaseURL: url, OllamaHost: nobody}
	server := b.startServer(ctx, url, nobody)
	server.activateText(ctx, repo)
	own, wall := b.runProgram(func(int) (*exec.Cmd, bool) { return in.Command("search", name(0), "mooring"), true })
	start, _ := b.runProgram(func(int) (*exec.Cmd, bool) { return in.Command("--version"), false })
	return ms(own), fmt.Sprintf("1400 documents; wall %s ms; the program alone takes %s ms", number(ms(wall)), number(ms(start)))
}

// hookProgram returns the median processor time of `recall --hook`, which many assistants start for each event, in
// milliseconds: of the event and the project that take longest, while a server of the project runs.
func hookProgram(ctx context.Context, b *bench) (worst float64, note string) {
	var notes []string
	for _, documents := range []int{40, 1400, b.size(10_000, 100_000)} {
		repo := b.newHookRepository("hook-program-"+strconv.Itoa(documents), documents)
		url := b.newDatabase(ctx).url
		in := mcpclient.Installation{Program: b.program, Root: repo.root, Home: b.dir, DatabaseURL: url, OllamaHost: nobody}
		server := b.startServer(ctx, url, nobody)
		server.activateText(ctx, repo)
		time.Sleep(5 * time.Second) // until it listens
		for _, running := range []bool{true, false} {
			if !running {
				check(server.Close())
			}
			for event, fields := range map[string]map[string]any{
				"UserPromptSubmit": {"prompt": "what is " + name(0) + ", and what of " + name(0) + "?"},
				"PreToolUse":       {"tool_name": "Bash", "tool_input": map[string]any{"command": name(0) + " -v --purge all"}},
			} {
				cpu, wall := b.runProgram(func(round int) (*exec.Cmd, bool) {
					fields["hook_event_name"], fields["session_id"] = event, fmt.Sprint(documents, running, event, round)
					command := in.Command("recall", "--hook")
					command.Stdin = bytes.NewReader(get(json.Marshal(fields)))
					return command, running
				})
				if running {
					worst = max(worst, ms(cpu))
				}
				notes = append(notes, fmt.Sprintf("%d documents, server %t, %s: %s ms, wall %s ms",
					documents, running, event, number(ms(cpu)), number(ms(wall))))
			}
		}
	}
	return worst, strings.Join(notes, "; ")
}

// runProgram returns the medians of the processor time and of the time of a command. If it finds something, that must be the
// first document.
func (b *bench) runProgram(next func(round int) (command *exec.Cmd, finds bool)) (cpu, wall time.Duration) {
	var cpus, walls []time.Duration
	for round := range b.size(20, 60) {
		began := time.Now()
		command, finds := next(round)
		output := get(command.Output())
		walls = append(walls, time.Since(began))
		cpus = append(cpus, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
		if finds && !strings.Contains(string(output), "doc-000000.md") {
			check(fmt.Errorf("%v says %q", command.Args, output))
		}
	}
	return median(cpus), median(walls)
}
