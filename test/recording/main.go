// Command recording runs the program in a terminal, in a new project with the demo project's
// documents, and writes the screen to docs/recording.cast (asciicast 2) and docs/recording.svg.
//
// It runs in the repository's root, after make build. It uses the machine's PostgreSQL in a new
// folder. The project is set up and synced before. The output is the program's, at the program's
// pace; only the typing is made up, and the temporary folder has another name.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// home replaces the temporary folder in the output.
const home = "/home/ada"

// hookEvent is what an assistant gives the hook of a prompt. The documents have a rule about it.
const hookEvent = `{"hook_event_name": "UserPromptSubmit", "session_id": "1",
 "prompt": "Log the phone number and the address of the recipient when a delivery fails"}
`

// commands are those of the session.
func commands() []string {
	return []string{
		"cat prompt.json",
		"compound-docs recall --hook <prompt.json",
		`compound-docs search --limit 1 --mode lexical "why do requests wait for a connection?"`,
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "recording:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	folder, err := os.MkdirTemp("", "recording-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	t, err := prepare(ctx, folder)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, t.command(context.WithoutCancel(ctx), filepath.Join(t.bin, "compound-docs"), "down").Run())
	}()
	for _, command := range commands() {
		if err := t.run(ctx, command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return errors.Join(
		os.WriteFile("docs/recording.cast", t.cast(), 0o600),
		os.WriteFile("docs/recording.svg", t.svg(), 0o600),
	)
}

// prepare makes a project with documents in the index.
func prepare(ctx context.Context, folder string) (*terminal, error) {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return nil, err
	}
	shop := filepath.Join(folder, "shop")
	t := &terminal{
		bin: bin, dir: shop,
		environment: []string{
			"HOME=" + folder, "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
			"TERM=xterm-256color", "LANG=C.UTF-8", "CDOCS_LOG_LEVEL=error",
		},
		hidden: strings.NewReplacer(bin, "/usr/local/bin", folder, home),
	}
	const documents = "csharp-compounding-docs"
	// The account of PostgreSQL must be able to enter it.
	if err := errors.Join(os.Chmod(folder, 0o755),
		os.CopyFS(filepath.Join(shop, documents), os.DirFS(filepath.Join("examples", "demo-project", documents)))); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(shop, "prompt.json"), []byte(hookEvent), 0o600); err != nil {
		return nil, err
	}
	// This doc-type is in the demo project's configuration, which init does not have.
	if err := os.RemoveAll(filepath.Join(shop, documents, "api-contracts")); err != nil {
		return nil, err
	}
	program := filepath.Join(bin, "compound-docs")
	for _, command := range [][]string{
		{"git", "init", "--quiet", "--initial-branch=main"}, {program, "init", "--yes"}, {program, "up"}, {program, "sync"},
	} {
		// Without Ollama, sync ends with 1 when the text is in the index.
		if output, err := t.command(ctx, command[0], command[1:]...).CombinedOutput(); err != nil && command[1] == "init" {
			return nil, fmt.Errorf("%s: %w\n%s", command, err, output)
		}
	}
	return t, nil
}
