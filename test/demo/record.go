package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hookEvent is what an assistant gives the hook of a prompt. The documents have a rule about it.
const hookEvent = `{"hook_event_name": "UserPromptSubmit", "session_id": "1",
 "prompt": "Log the phone number and the address of the recipient when a delivery fails"}
`

// record runs the program in a terminal, in a new project with the demo project's documents, and writes the
// screen to docs/recording.svg. The project is set up and synced before. The output is the program's, at the
// program's pace; only the typing is made up, and the temporary folder has another name.
func (d *demo) record(ctx context.Context) error {
	const documents = "csharp-compounding-docs"
	shop := filepath.Join(d.home, "shop")
	if err := errors.Join(
		os.CopyFS(filepath.Join(shop, documents), os.DirFS(filepath.Join(root, documents))),
		os.WriteFile(filepath.Join(shop, "prompt.json"), []byte(hookEvent), 0o600),
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
		"cat prompt.json",
		"compound-docs recall --hook <prompt.json",
		`compound-docs search --limit 1 --mode lexical "why do requests wait for a connection?"`,
	} {
		if err := t.run(ctx, command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return os.WriteFile("docs/recording.svg", t.svg(), 0o600)
}
