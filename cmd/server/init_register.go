package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
	"github.com/compound-docs/compound-docs/plugin"
	"github.com/compound-docs/compound-docs/rag/ollama"
)

// claudeClient is the value of --client for Claude Code.
const claudeClient = "claude"

// clientNames returns the values that --client accepts.
func clientNames() []string {
	names := []string{claudeClient}
	for _, c := range clients.All() {
		names = append(names, c.Name)
	}
	return names
}

func checkClients(named []string, show bool) error {
	for _, name := range named {
		if !slices.Contains(clientNames(), name) {
			return usagef("--client names %q; give some of %s", name, strings.Join(clientNames(), ", "))
		}
	}
	if show && len(named) == 0 {
		return usagef("--print shows the files of assistants; name them, as in: compound-docs init --client cursor --print")
	}
	return nil
}

// registerClients registers the server with the assistants of --client, and adds their hooks with --hooks. Without
// --client, but with --yes, it registers with the assistants that have settings in the repository. For other installed
// assistants it prints how to register. With --print it writes nothing and prints what it would write.
func (i *initializer) registerClients(root string) error {
	if i.show && slices.Contains(i.named, claudeClient) {
		_, line := clients.ClaudeCommand(clients.Program(), clients.Environment())
		plain.Println(i.stdout, line)
		if i.hooks {
			i.showFile(clients.LocalSettings+":", plugin.Hooks(clients.ServerName, clients.Quote(clients.Program())))
		}
	}
	for _, c := range clients.All() {
		named := slices.Contains(i.named, c.Name)
		if !named && (len(i.named) > 0 || !c.UsedIn(root) && !c.Installed()) {
			continue
		}
		folder, err := c.Folder(root)
		if err != nil {
			return err
		}
		used := named || i.yes && !c.Paragraph && c.UsedIn(root)
		if err := i.registerClient(c, folder, named, used); err != nil {
			return err
		}
		if named && i.hooks {
			if err := i.addHooks(c, folder); err != nil {
				return err
			}
		}
	}
	return nil
}

func (i *initializer) showFile(title string, content []byte) {
	plain.Printf(i.stdout, "%s\n%s\n", title, plain.Block(content))
}

// registerClient registers the server with one assistant. If used is false, it only prints how to register. folder is
// the result of [clients.Client.Folder]. named is true if --client names the assistant. If named is false, an error of
// the plan is printed, not returned.
func (i *initializer) registerClient(c clients.Client, folder string, named, used bool) error {
	say := func(format string, values ...any) { plain.Printf(i.stdout, c.Title+": "+format+"\n", values...) }
	change, err := c.Plan(folder, c.Program(), clients.Environment())
	remedy, done := "register the server", "registered the server in "
	if c.Paragraph {
		remedy, done = "have it say when to search", "added a paragraph to "
	}
	switch {
	case errors.Is(err, clients.ErrRegistered):
		say("has the server already")
		return nil
	case err != nil && !named:
		say("%s", err)
		return nil
	case err != nil:
		return err
	case !used:
		say("to %s: compound-docs init --client %s", remedy, c.Name)
		return nil
	case change.Pasted:
		i.showFile(c.Title+": add this to "+change.Path(), change.Content)
		if c.Command != nil && c.Installed() {
			words := append(slices.Clone(c.Command), clients.Program(), "serve")
			say("or register the server for all your projects: %s", clients.QuoteLine(words))
		}
		return nil
	case i.show:
		i.showFile(c.Title+": "+change.Path(), change.Content)
		return nil
	}
	if err := change.Write(); err != nil {
		return fmt.Errorf("write %s: %w; init --client %s --print shows what to add by hand", change.Path(), err, c.Name)
	}
	if home := os.Getenv("CDOCS_HOME"); home != "" && !c.Paragraph && !c.ForUser {
		say("start it with CDOCS_HOME=%s, as this shell has it, or its server has another database", home)
	}
	say("%s%s", done, change.Path())
	return nil
}

// addHooks adds hooks to the settings of an assistant, or prints the hooks with --print.
func (i *initializer) addHooks(c clients.Client, folder string) error {
	file, hooks := c.Hooks(c.Program())
	switch {
	case file == "":
		plain.Printf(i.stdout, "%s: hooks are not known for it\n", c.Title)
		return nil
	case i.show:
		i.showFile(c.Title+": "+filepath.Join(folder, filepath.FromSlash(file)), hooks)
		return nil
	}
	change, err := clients.PlanHooks(folder, c.Name, file, hooks)
	return i.writeHooks(c.Title, change, err, c.Trust)
}

// writeHooks writes a planned change and prints nextStep, which tells the user what to do. planErr is the error of the
// plan, or nil. If planErr says that the file already has the hooks, writeHooks only prints that.
func (i *initializer) writeHooks(title string, change clients.Change, planErr error, nextStep string) error {
	if errors.Is(planErr, clients.ErrRegistered) {
		plain.Printf(i.stdout, "%s: has the hooks already, in %s\n", title, change.Path())
		return nil
	}
	if planErr != nil {
		return fmt.Errorf("add the hooks of %s: %w", title, planErr)
	}
	if err := change.Write(); err != nil {
		return fmt.Errorf("add the hooks of %s: %w", title, err)
	}
	if nextStep != "" {
		nextStep = "; " + nextStep
	}
	plain.Printf(i.stdout, "%s: added hooks to %s%s\n", title, change.Path(), nextStep)
	return nil
}

// register registers the server with Claude Code for this project, and offers hooks. If the program claude is not
// installed, it prints how to register later.
func (i *initializer) register(ctx context.Context, root string) error {
	found, err := clients.FindClaude(root)
	switch {
	case err == nil:
		plain.Printf(i.stdout, "Claude Code: has the server already, as %s in %s\n", found.Name, found.File)
		if found.IsPlugin { // the plugin has its own hooks
			return nil
		}
		return i.offerHooks(root, found.Name)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	program := clients.Program()
	words, line := clients.ClaudeCommand(program, clients.Environment())
	path, err := exec.LookPath("claude")
	if err != nil {
		plain.Printf(i.stdout, "Claude Code was not found. Once it is installed, run in this repository:\n  %s\n"+
			"Another MCP client starts the server with: %s serve\n", line, clients.Quote(program))
		if i.hooks || i.yes {
			return i.offerHooks(root, clients.ServerName)
		}
		return nil
	}
	add := exec.CommandContext(ctx, path, words[1:]...) //nolint:gosec // found on the PATH
	add.Dir = root
	if text, err := add.CombinedOutput(); err != nil {
		return fmt.Errorf("claude mcp add: %w\n%s\nto try it by hand, run in %s:\n  %s",
			err, strings.TrimSpace(string(text)), root, line)
	}
	plain.Printf(i.stdout, "Claude Code: registered the server for this project; claude mcp list shows it\n")
	return i.offerHooks(root, clients.ServerName)
}

// offerHooks adds the plugin's hooks to the user's own settings for this project if the user wants hooks, and
// otherwise prints how to add them. server is the name of the server in Claude Code.
func (i *initializer) offerHooks(root, server string) error {
	hooks := plugin.Hooks(server, clients.Quote(clients.Program()))
	change, err := clients.PlanHooks(root, claudeClient, clients.LocalSettings, hooks)
	if !i.hooks && !errors.Is(err, clients.ErrRegistered) && (err != nil || !i.wantsHooks()) {
		plain.Println(i.stdout, "Claude Code: to have it point to documents by itself: compound-docs init --hooks, or the plugin")
		return nil //nolint:nilerr // only a user who gave --hooks needs the error
	}
	return i.writeHooks("Claude Code", change, err, "the file is for you alone: keep it out of git")
}

// wantsHooks reports whether a user without --hooks wants hooks for Claude Code: by --yes, or by a yes at a terminal.
func (i *initializer) wantsHooks() bool {
	input := i.command.InOrStdin()
	if i.yes || !plain.IsTerminal(input) || !plain.IsTerminal(i.stdout) {
		return i.yes
	}
	plain.Printf(i.stdout, "Claude Code can point to the document that a prompt or an edit needs. Add hooks for that to %s? [y/N] ",
		clients.LocalSettings)
	var answer string
	_, _ = fmt.Fscanln(input, &answer) // no answer counts as no
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// keepAddresses writes into the user's settings where the database, PostgreSQL's programs and Ollama are, because a
// client may start the server without this environment and these flags. The registration of the server must not have
// the addresses, because an address can contain a password, and other people may read the registration.
func (i *initializer) keepAddresses(o options) error {
	file := filepath.Join(o.home, project.SettingsFile)
	ollamaHost := o.ollamaHost
	if ollamaHost == ollama.DefaultHost {
		ollamaHost = ""
	}
	postgres := o.postgres
	if o.databaseURL != "" {
		postgres = "" // a private database is not used
	}
	for _, kept := range []struct{ what, key, value, old string }{
		{"database: its URL", "database_url", o.databaseURL, o.settings.DatabaseURL},
		{"Ollama: its address", "ollama_host", ollamaHost, o.settings.OllamaHost},
		{"PostgreSQL: its folder", "postgres", postgres, o.settings.Postgres},
	} {
		switch kept.value {
		case "", kept.old:
			continue
		}
		if kept.old != "" {
			plain.Printf(i.stdout, "%s in %s differs from that of this shell; servers without this environment use the file's\n",
				kept.what, file)
			continue
		}
		err := project.SaveSetting(o.home, kept.key, kept.value)
		if err != nil {
			return err
		}
		plain.Printf(i.stdout, "%s is in %s now, which nobody else can read\n", kept.what, file)
	}
	return nil
}
