package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/compound-docs/compound-docs/test/mcpclient"
)

// hookProgram returns the median processor time of `recall --hook`, which many assistants start for each event, in
// milliseconds: of the event and the project that take longest, while a server of the project runs.
func hookProgram(ctx context.Context, b *bench) (worst float64, note string) {
	var notes []string
	for _, documents := range []int{40, 1400} {
		repo := b.newHookRepository("hook-program-"+strconv.Itoa(documents), documents)
		url := b.newDatabase(ctx).url
		in := mcpclient.Installation{Program: b.program, Root: repo.root, Home: b.dir, DatabaseURL: url, OllamaHost: nobody}
		server := b.startServer(ctx, url, nobody)
		server.activateText(ctx, repo, "main")
		time.Sleep(5 * time.Second) // until it listens
		for _, running := range []bool{true, false} {
			if !running {
				check(server.Close())
			}
			for event, fields := range map[string]map[string]any{
				"UserPromptSubmit": {"prompt": "where does " + name(0) + " come from, and what of " + name(0) + "?"},
				"PreToolUse":       {"tool_name": "Bash", "tool_input": map[string]any{"command": name(0) + " -v --purge all"}},
			} {
				cpu, wall := runHook(b, in, event, fields)
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

// runHook returns the medians of the processor time and of the time of the program at an event, each in another session.
// It must point to a document.
func runHook(b *bench, in mcpclient.Installation, event string, fields map[string]any) (cpu, wall time.Duration) {
	var cpus, walls []time.Duration
	for range b.size(20, 60) {
		began := time.Now()
		fields["hook_event_name"], fields["session_id"] = event, began.String()
		command := in.Command("recall", "--hook")
		command.Stdin = bytes.NewReader(get(json.Marshal(fields)))
		output := get(command.Output())
		walls = append(walls, time.Since(began))
		cpus = append(cpus, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
		if !strings.Contains(string(output), "doc-000000.md") {
			check(fmt.Errorf("a hook says %q", output))
		}
	}
	return median(cpus), median(walls)
}
