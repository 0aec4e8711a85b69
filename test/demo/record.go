package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An assistant is about to write a migration. A document wants to be heard then. Both events are of the same edit.
const (
	inClaude = `{"hook_event_name": "PreToolUse", "session_id": "1", "tool_name": "Write",
 "tool_input": {"file_path": "db/migrations/42.sql", "content": "CREATE INDEX a ON b (c)"}}
`
	inCursor = `{"hook_event_name": "preToolUse", "conversation_id": "2", "tool_name": "Write",
 "tool_input": {"file_path": "db/migrations/42.sql", "content": "CREATE INDEX a ON b (c)"}}
`
)

// record runs the program in a terminal, in a new project with the demo project's documents, and writes the
// screen to docs/recording.svg. The project is set up and synced before. The output is the program's, at the
// program's pace; only the typing is made up, and the temporary folder has another name.
func (d *demo) record(ctx context.Context) error {
	const documents = "csharp-compounding-docs"
	shop := filepath.Join(d.home, "shop")
	if err := errors.Join(
		os.CopyFS(filepath.Join(shop, documents), os.DirFS(filepath.Join(root, documents))),
		os.WriteFile(filepath.Join(shop, "claude.json"), []byte(inClaude), 0o600),
		os.WriteFile(filepath.Join(shop, "cursor.json"), []byte(inCursor), 0o600),
		// This doc-type is in the demo project's configuration, which init does not have.
		os.RemoveAll(filepath.Join(shop, documents, "api-contracts")),
	); err != nil {
		return err
	}
	for _, command := range []string{
		"git init --quiet --initial-branch=main", "compound-docs init --yes",
		"compound-docs up; compound-docs sync; true", // without Ollama both fail, when the text is in the index
	} {
		if output, err := d.command(ctx, shop, "sh", "-c", command).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, output)
		}
	}
	t := &terminal{demo: d, dir: shop, hidden: strings.NewReplacer(d.bin, "/usr/local/bin", d.home, "/home/ada")}
	for _, command := range []string{
		"grep -A 4 triggers: " + documents + "/problems/migration-*.md",
		"compound-docs recall --hook <claude.json",
		"compound-docs recall --hook <cursor.json",
	} {
		if err := t.run(ctx, command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return os.WriteFile("docs/recording.svg", t.svg(), 0o600)
}
