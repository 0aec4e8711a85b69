package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/setup/clients"
	"github.com/compound-docs/compound-docs/internal/setup/scaffold"
)

func newInitCommand(flags *flags) *cobra.Command {
	i := &initializer{}
	command := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Prepare a repository, and register the server with assistants",
		Long: `Prepare a repository, and register the server with Claude Code and other assistants:

- take all markdown of the repository, or the places of --documents, and say what is left out.
  These are the project's documents and need no front matter
- write .csharp-compounding-docs/config.json, or add --documents to the one that is there
- run claude mcp add for this project, or print the line to run
- with --hooks or --yes, or if you agree at a terminal, add hooks to
  .claude/settings.local.json. --client codex, cursor or gemini with --hooks adds theirs
- with --yes add the server to the settings of other assistants that the repository has, or to
  those of --client. The files of Codex and Goose are not JSON: init prints the entry, and you
  add it. AGENTS.md and CLAUDE.md, if named, get a paragraph that says when to search
- say what compound-docs status says of the database and the models

In a folder of a repository without a configuration, as in a monorepo, give DIR, or --yes for
the whole repository. It may run again: it adds to files, and never takes anything away.
Without a database it does all the same, and ends with 1.`,
		Example: `  compound-docs init
  compound-docs init ~/my-project --yes
  compound-docs init --documents docs/adr,README.md
  compound-docs init --client codex --hooks
  compound-docs init --client cursor,vscode --print`,
		Args: needs(0, 1, "one folder", "compound-docs init ~/my-project"),
		RunE: flags.run(func(call invocation) error {
			i.invocation = call
			return i.run(call.command.Context())
		}),
	}
	command.Flags().BoolVarP(&i.yes, "yes", "y", false,
		"take the whole repository, add hooks, and register with the assistants that the repository has settings for")
	command.Flags().StringSliceVar(&i.documents, "documents", nil,
		"`places` of the documents, such as docs/adr,README.md,packages/*/docs (default: all markdown)")
	command.Flags().StringVar(&i.embedder, "embedder", "", "make the vectors with this `model` of Ollama, in all projects")
	command.Flags().StringSliceVar(&i.named, "client", nil, "register with these assistants: "+strings.Join(clientNames(), ", "))
	command.Flags().BoolVar(&i.show, "print", false, "show the files of --client, and write nothing")
	command.Flags().BoolVar(&i.hooks, "hooks", false, "have the assistant point to the document that a prompt or an act needs")
	return command
}

// initializer is one run of compound-docs init.
type initializer struct {
	invocation

	yes       bool
	documents []string // value of --documents
	embedder  string   // value of --embedder
	named     []string // assistants of --client
	show      bool
	hooks     bool
}

func (i *initializer) run(ctx context.Context) error {
	options, err := i.flags.resolve()
	if err != nil {
		return err
	}
	root, err := i.repository(options.project)
	if err != nil {
		return err
	}
	if err := checkClients(i.named, i.show); err != nil {
		return err
	}
	if i.show {
		return i.registerClients(root)
	}
	result, err := scaffold.Write(root, i.documents, options.settings.ExternalDocsAllowed)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("nothing can be written in %s: %w; init has to write the configuration there, "+
			"so run it as a user who may, or in a copy of the repository", root, err)
	}
	if err != nil {
		return err
	}
	i.report(result)
	if err := i.keepAddresses(options); err != nil {
		return err
	}
	if len(i.named) == 0 || slices.Contains(i.named, claudeClient) {
		if err := i.register(ctx, root); err != nil {
			return err
		}
	}
	if err := i.registerClients(root); err != nil {
		return err
	}
	i.sayProgram()
	options.project = root
	servicesErr := i.sayServices(options) // its error waits, because the other steps need no service
	i.sayWhatToAsk(result)
	if servicesErr != nil {
		return servicesErr
	}
	if len(result.Places) > 0 {
		plain.Printf(i.stdout, "To try it now, run:\n  %s search 'how do we …'\n", clients.Quote(clients.SharedProgram()))
	}
	return nil
}

// sayServices saves the model of --embedder in the settings, and then prints the report of compound-docs status. It
// returns errFound if the report has an error.
func (i *initializer) sayServices(o options) error {
	if i.embedder != "" && i.embedder != o.settings.EmbeddingModel {
		if err := project.SaveSetting(o.home, "embedding_model", i.embedder); err != nil {
			return err
		}
		o.settings.EmbeddingModel = i.embedder
	}
	plain.Println(i.stdout)
	o.logLevel = max(o.logLevel, slog.LevelError) // findings are printed, not logged
	return i.withSetup(o, func(s *setup) error { return s.report(nil, true) })
}

// repository returns the folder to set up: the argument, or else projectFolder, or else the repository of the working
// directory. In a sub-folder of a repository without a configuration it fails: the user must choose one of the folders.
func (i *initializer) repository(projectFolder string) (string, error) {
	if len(i.args) > 0 {
		projectFolder = i.args[0]
	}
	folder, err := filepath.Abs(projectFolder) // "" becomes the working directory
	if err != nil {
		return "", err
	}
	folder, err = filepath.EvalSymlinks(folder)
	if err != nil || projectFolder != "" {
		return folder, err
	}
	root, err := project.FindRoot(folder)
	_, noConfig := os.Lstat(filepath.Join(root, project.ConfigDir, project.ConfigFile))
	if err != nil || noConfig == nil {
		return root, err
	}
	if !project.InRepository(root) && holdsMore(folder) {
		return "", usagef("%s is no repository; go to one, or name the folder: compound-docs init %s", folder, clients.Quote(folder))
	}
	if root == folder || i.yes {
		return root, nil
	}
	return "", usagef("%s is a folder of the repository %s; say which of them is the project: "+
		"`compound-docs init .` or `compound-docs init %s`", folder, root, clients.Quote(root))
}

// holdsMore reports whether a folder probably holds many projects: the user's home, or a folder directly below the root
// of the disk, such as /tmp.
func holdsMore(folder string) bool {
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home) // "" without a home, and then equal to no folder
	above := filepath.Dir(folder)
	return folder == home || above == filepath.Dir(above)
}

func (i *initializer) report(result scaffold.Result) {
	say := func(format string, values ...any) { plain.Printf(i.stdout, format+"\n", values...) }
	verb := "wrote"
	if result.Kept {
		verb = "kept"
	}
	if result.Changed {
		verb = "changed documents.folders in"
	}
	say("config: %s %s; the project is %s", verb, result.Project.ConfigPath, result.Project.Config.ProjectName)
	for _, place := range result.Places {
		where := place.Place
		if where == "." {
			where = "the whole repository except hidden folders"
		}
		say("documents: %s in %s", plain.Count(place.Files, "markdown file"), where)
		_, err := os.Stat(filepath.Join(result.Project.Root, place.Place))
		switch {
		case place.Files > 0:
		case err == nil && slices.Contains(result.Project.Places(), "."):
			say("  its files count for the whole repository; to have only %s, take . out of documents.folders in %s",
				place.Place, result.Project.ConfigPath)
		default:
			say("  if the name is wrong, correct documents.folders in %s", result.Project.ConfigPath)
		}
	}
	if len(result.Places) == 0 {
		say("documents: none yet; the first one is written in %s/", result.Project.DocsDir())
	}
	if rules := result.Project.RuleFolders(); len(rules) > 0 {
		say("rules: what is written for assistants in %s is searched too, and heard at edits in its scope; "+
			"\"rules\": false in the config leaves it out", strings.Join(rules, ", "))
	}
	if external, ok := result.Project.External(); ok {
		say("external docs: %s, as the config says", external.Path)
	}
	leftOut := map[string][]string{} // paths by reason
	for _, left := range result.LeftOut {
		leftOut[left.Why] = append(leftOut[left.Why], left.Path)
	}
	for _, why := range slices.Sorted(maps.Keys(leftOut)) {
		say("left out: %s (%s)", plain.Some(leftOut[why], 5), why)
	}
	if ignored := leftOut[project.GitIgnores]; len(ignored) > 0 {
		say("  to search what git ignores, name it: compound-docs init --documents %s", clients.Quote(ignored[0]))
	}
	if len(result.Further) > 0 {
		say("not among the documents: %s\n  to search them: compound-docs init --documents %s",
			strings.Join(result.Further, ", "), clients.Quote(strings.Join(result.Further, ",")))
	}
}

// sayProgram prints advice if the program is not on the PATH, or if it is in a cache that npx may empty.
func (i *initializer) sayProgram() {
	program := clients.SharedProgram()
	switch {
	case strings.Contains(filepath.ToSlash(program), "/_npx/"):
		plain.Printf(i.stdout, "program: %s is in a cache that npx may empty; run: "+
			"npm install -g compound-docs && compound-docs init\n", program)
	case program != clients.ServerName:
		plain.Printf(i.stdout, "program: compound-docs is not on the PATH, so assistants get the path %s. "+
			"To have the name found, run: export PATH=%s:$PATH\n", program, clients.Quote(filepath.Dir(program)))
	}
}

func (i *initializer) sayWhatToAsk(result scaffold.Result) {
	ask := "What did we learn today that a colleague should know? Write it down with compound-docs."
	if _, external := result.Project.External(); external || len(result.Places) > 0 {
		ask = "What do our documents say about …? Search compound-docs."
	}
	plain.Printf(i.stdout, "\nStart your assistant in this repository, and ask for example:\n  %s\n", ask)
}
