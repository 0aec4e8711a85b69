package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/compound-docs/compound-docs/internal/claude"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/scaffold"
)

func newInitCommand(flags *flags) *cobra.Command {
	var (
		yes, asJSON bool
		documents   string
	)
	command := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Prepare a repository, and register the server with Claude Code",
		Long: `Prepare a repository, and register the server with Claude Code:

- write .csharp-compounding-docs/config.json, with a name made from the folder's;
- if there is markdown in docs/solutions/, as the compound-engineering plugin writes it,
  take it as the project's own documents, which need no front matter. Otherwise make
  folders for documents in csharp-compounding-docs/. --documents names another folder
  for documents that need no front matter;
- if there is other markdown in docs/, have it searched as external documentation. If all
  of it is in docs/adr/, that folder is taken;
- run claude mcp add for this project, where Claude Code is installed and does not have
  the server yet. Otherwise the line to run is printed;
- install PostgreSQL and pgvector, if no database URL is set and the machine has neither
  them nor Docker: with apt-get, dnf, pacman or brew, and with sudo unless root runs it.

Without DIR it prepares the repository of the current folder. It never changes a file
that is there, so it may run again. On a terminal it asks before it registers the
server and before it installs packages. Without a terminal packages are installed only
with --yes, which asks nothing.`,
		Example: "  compound-docs init\n  compound-docs init ~/my-project --yes",
		Args:    needs(0, 1, "one folder", "compound-docs init ~/my-project"),
		RunE: func(cmd *cobra.Command, args []string) error {
			i := &initializer{
				flags: flags, yes: yes, asJSON: asJSON, documents: documents,
				stdin: cmd.InOrStdin(), answers: bufio.NewReader(cmd.InOrStdin()),
				stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(),
			}
			return i.run(cmd.Context(), args)
		},
	}
	command.Flags().BoolVarP(&yes, "yes", "y", false, "ask nothing, and install what is missing")
	command.Flags().StringVar(&documents, "documents", "",
		"take this `folder` of the repository, such as docs/adr, as that of the project's own documents")
	addJSON(command, &asJSON)
	return command
}

// initializer is one run of compound-docs init.
type initializer struct {
	flags          *flags
	yes, asJSON    bool
	documents      string // the flag
	stdin          io.Reader
	answers        *bufio.Reader // reads stdin
	stdout, stderr io.Writer

	registration registration
}

// registration says what became of the registration with Claude Code.
type registration string

const (
	registeredNow     registration = "registered"
	registeredBefore  registration = "registered before"
	registrationLater registration = "not registered"
)

// initialized says for --json what compound-docs init has done.
type initialized struct {
	ProjectName   string `json:"project_name"`
	ConfigPath    string `json:"config_path"`
	ConfigWritten bool   `json:"config_written"`
	// Folders are those of the documents that were made.
	Folders      []string     `json:"folders"`
	ExternalDocs string       `json:"external_docs,omitempty"`
	Registration registration `json:"claude_code"`
}

func (i *initializer) run(ctx context.Context, args []string) error {
	options, err := i.flags.resolve()
	if err != nil {
		return err
	}
	root, err := repository(args, options.project)
	if err != nil {
		return err
	}
	result, err := scaffold.Write(root, scaffold.Options{
		Documents: i.documents, ExternalAllowed: options.settings.ExternalDocsAllowed,
	})
	if err != nil {
		return err
	}
	jsonTo := i.stdout
	if i.asJSON {
		i.stdout = i.stderr // what it says and asks
	}
	i.report(root, result)
	if err := i.register(ctx, root); err != nil {
		return err
	}
	if err := i.provideDatabase(ctx, options); err != nil {
		return err
	}
	if i.asJSON {
		return printJSON(jsonTo, i.result(result))
	}
	i.sayWhatToAsk(result)
	return nil
}

func (i *initializer) result(result scaffold.Result) initialized {
	out := initialized{
		ProjectName: result.Project.Config.ProjectName, ConfigPath: result.Project.ConfigPath, ConfigWritten: !result.Kept,
		Folders: append([]string{}, result.Folders...), Registration: i.registration,
	}
	if external, ok := result.Project.External(); ok {
		out.ExternalDocs = external.Path
	}
	return out
}

// repository returns the root of the repository that was named, or else of the project
// that the flag names, or else of the current folder. A folder that was named is one
// itself.
func repository(args []string, flagged string) (string, error) {
	if len(args) > 0 {
		folder, err := filepath.Abs(args[0])
		if err != nil {
			return "", err
		}
		return filepath.EvalSymlinks(folder)
	}
	if flagged != "" {
		return filepath.EvalSymlinks(flagged)
	}
	return project.FindRoot(".")
}

func (i *initializer) report(root string, result scaffold.Result) {
	say := func(format string, values ...any) { fmt.Fprintf(i.stdout, format+"\n", values...) }
	config := result.Project.Config
	if result.Kept {
		say("config: %s stays as it is; the project is %s", result.Project.ConfigPath, config.ProjectName)
	} else {
		say("config: wrote %s; the project is %s", result.Project.ConfigPath, config.ProjectName)
	}
	folder := filepath.Join(root, filepath.FromSlash(result.Project.DocsDir()))
	switch {
	case result.Project.Lenient() && !result.Kept:
		say("documents: found %s in %s, now the project's own documents; new ones go there too, and need no front matter",
			count(result.Documents, "file"), folder)
	case len(result.Folders) > 0:
		say("documents: made %s in %s", count(len(result.Folders), "folder"), folder)
	case result.Project.Lenient():
		say("documents: they are in %s, and need no front matter", folder)
	default:
		say("documents: their folders in %s are there", folder)
	}
	external, ok := result.Project.External()
	if !ok || result.Kept {
		return
	}
	say("external docs: found %s in %s, which are searched too", count(result.External, "file"), external.Path)
	if !result.Project.Lenient() {
		say(`  to promote and link them, have them as the project's own: "documents": {"folder": %q, "lenient": true} in the config`,
			strings.TrimPrefix(external.Path, "./"))
	}
}

// register has Claude Code start the server in this project, or says how.
func (i *initializer) register(ctx context.Context, root string) error {
	i.registration = registrationLater
	found, err := claude.Find(root)
	switch {
	case err == nil:
		i.registration = registeredBefore
		fmt.Fprintf(i.stdout, "Claude Code: has the server already, as %s in %s\n", found.Name, found.File)
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	program, environment := thisProgram(), serverEnvironment()
	line := claude.AddLine(program, environment)
	path, ok := findClaude()
	if !ok {
		fmt.Fprintf(i.stdout, "Claude Code: its program claude is not on the PATH. Where it is, run in this repository:\n  %s\n"+
			"Another MCP client starts the server with: %s serve\n", line, claude.Quote(program))
		return nil
	}
	if !i.agreed() {
		fmt.Fprintf(i.stdout, "Claude Code: nothing was changed. To register the server later, run in this repository:\n  %s\n", line)
		return nil
	}
	add := exec.CommandContext(ctx, path, claude.AddArguments(program, environment)...) //nolint:gosec // found on the PATH
	add.Dir = root
	if text, err := add.CombinedOutput(); err != nil {
		return fmt.Errorf("claude mcp add: %w\n%s\nto try it by hand, run in %s:\n  %s",
			err, strings.TrimSpace(string(text)), root, line)
	}
	i.registration = registeredNow
	fmt.Fprintln(i.stdout, "Claude Code: registered the server for this project; claude mcp list shows it")
	return nil
}

func findClaude() (path string, ok bool) {
	path, err := exec.LookPath("claude")
	return path, err == nil
}

// agreed asks whether to register the server, if there is somebody to ask.
func (i *initializer) agreed() bool {
	if i.yes {
		return true
	}
	answer, asked := i.ask("Register the server with Claude Code for this project?")
	return answer || !asked
}

// ask asks a question whose answer is yes unless it begins otherwise. asked is false
// where nobody answers.
func (i *initializer) ask(question string) (answer, asked bool) {
	input, ok := i.stdin.(*os.File)
	if !ok || !isTerminal(input) {
		return false, false
	}
	fmt.Fprint(i.stderr, question, " [Y/n] ")
	text, err := i.answers.ReadString('\n')
	if err != nil && text == "" {
		return false, false
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "y", "yes":
		return true, true
	}
	return false, true
}

func (i *initializer) sayWhatToAsk(result scaffold.Result) {
	ask := "What did we learn today that a colleague should know? Write it down with compound-docs."
	if result.Project.Lenient() {
		ask = "What do we know about …? Search compound-docs."
	} else if _, ok := result.Project.External(); ok {
		ask = "What do our docs say about …? Search the external docs of compound-docs."
	}
	fmt.Fprintf(i.stdout, "\nStart claude in this repository, and ask for example:\n  %s\n"+
		"compound-docs up starts the database and Ollama and pulls the models now, not with the first call.\n"+
		"compound-docs doctor says what is missing.\n", ask)
}

// thisProgram returns the path by which this program is started: the one on the PATH if
// there is one, since it stays when a package manager installs another version.
func thisProgram() string {
	program, err := os.Executable()
	if err != nil {
		return claude.ServerName
	}
	onPath, err := exec.LookPath(claude.ServerName)
	if err != nil {
		return program
	}
	this, err := os.Stat(program)
	if err != nil {
		return program
	}
	if other, err := os.Stat(onPath); err != nil || !os.SameFile(this, other) {
		return program
	}
	if absolute, err := filepath.Abs(onPath); err == nil {
		return absolute
	}
	return program
}

// serverVariables are the environment variables that the server reads, which Claude Code
// has to give it.
var serverVariables = []string{"CDOCS_DATABASE_URL", "CDOCS_OLLAMA_HOST", "CDOCS_HOME"}

// serverEnvironment returns those that are set, as NAME=value.
func serverEnvironment() []string {
	var environment []string
	for _, name := range serverVariables {
		if value := os.Getenv(name); value != "" {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}
