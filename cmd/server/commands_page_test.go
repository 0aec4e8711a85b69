package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/compound-docs/compound-docs/test/golden"
)

const sourceRoot = "../.."

// commandsPage returns docs/commands.md, which is made from the help of the commands.
func commandsPage(t *testing.T) string {
	t.Helper()
	introduction, err := os.ReadFile("testdata/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	root := newCommand(io.Discard)
	var page, contents strings.Builder
	for _, group := range root.Groups() {
		fmt.Fprintf(&page, "\n## %s\n", strings.TrimSuffix(group.Title, ":"))
		var links []string
		for _, command := range root.Commands() {
			if command.GroupID != group.ID || command.Name() == "help" || command.Name() == "completion" {
				continue
			}
			links = append(links, fmt.Sprintf("[`%s`](#compound-docs-%s)", command.Name(), command.Name()))
			fmt.Fprintf(&page, "\n### compound-docs %s\n\n%s\n\n```sh\n%s\n```\n%s",
				command.Name(), command.Long, unindented(command.Example), flagList(command.LocalNonPersistentFlags()))
		}
		fmt.Fprintf(&contents, "- %s %s\n", group.Title, strings.Join(links, ", "))
	}
	text := strings.NewReplacer("{{commands}}\n", contents.String(), "{{flags}}\n", flagList(root.PersistentFlags())).Replace(string(introduction))
	return text + page.String()
}

func unindented(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll(text, "\n  ", "\n"), "  ")
}

// flagList leaves out --json, which the introduction explains once.
func flagList(flags *pflag.FlagSet) string {
	var list strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == "json" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "`" + strings.TrimSpace("--"+f.Name+" "+strings.ToUpper(value)) + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
			usage += fmt.Sprintf(" (default `%s`)", f.DefValue)
		}
		fmt.Fprintf(&list, "- %s: %s\n", name, usage)
	})
	if list.Len() == 0 {
		return ""
	}
	return "\n" + list.String()
}

func TestCommandsPage_IsUpToDate(t *testing.T) {
	t.Parallel()
	golden.Compare(t, filepath.Join(sourceRoot, "docs", "commands.md"), commandsPage(t))
}

func TestCommands_HaveHelpExamplesAndJSON(t *testing.T) {
	t.Parallel()
	root := newCommand(io.Discard)
	for _, command := range root.Commands() {
		if command.Name() == "help" {
			continue // it is cobra's
		}
		if command.Long == "" || command.Example == "" || command.GroupID == "" {
			t.Errorf("%s lacks a description, an example or a group", command.Name())
		}
		speaksOther := slices.Contains([]string{"serve", "recall", "page", "init"}, command.Name())
		if !speaksOther && command.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json", command.Name())
		}
	}
	for _, command := range root.Commands() {
		for line := range strings.Lines(command.Example) {
			if problem := checkCall(root, strings.TrimSpace(line)); problem != "" {
				t.Errorf("an example of %s: %s", command.Name(), problem)
			}
		}
	}
}

// Every call of compound-docs that a page shows has a command and flags that exist.
func TestDocumentation_CallsCommandsThatExist(t *testing.T) {
	t.Parallel()
	root := newCommand(io.Discard)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	calls := 0
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range shownCalls(string(content)) {
			calls++
			if problem := checkCall(root, call); problem != "" {
				t.Errorf("%s: %s", page, problem)
			}
		}
	}
	if calls < 50 {
		t.Errorf("only %d calls were found", calls)
	}
	for _, wrong := range []string{"compound-docs serach x", "compound-docs search --modus x", "compound-docs init --yes=x --branch"} {
		if checkCall(root, wrong) == "" {
			t.Errorf("%s passes", wrong)
		}
	}
}

func pages(t *testing.T) []string {
	t.Helper()
	pages := []string{filepath.Join(sourceRoot, "README.md"), filepath.Join(sourceRoot, "CONTRIBUTING.md")}
	for _, folder := range []string{"docs", "deploy", "test", "tools/testdata/examples"} {
		err := filepath.WalkDir(filepath.Join(sourceRoot, folder), func(path string, _ fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); ext == ".md" && !strings.Contains(path, "corpus") || ext == ".json" && folder != "docs" {
				pages = append(pages, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}

var (
	codeSpan = regexp.MustCompile("`(?:[a-z]+ && )?(compound-docs [^`]+)`")
	// blockCall is a line of a block of a shell, which may call another program first.
	blockCall = regexp.MustCompile(`(?m)^ *(?:cd \S+ && |\$ )?(?:[A-Z_]+=\S+ )*(compound-docs [^|>#\n]*)`)
	block     = regexp.MustCompile("(?s)```(?:sh|bash|console)\n(.*?)```")
)

// shownCalls returns what a page has in code spans and blocks of a shell.
func shownCalls(page string) []string {
	var calls []string
	for _, found := range block.FindAllStringSubmatch(page, -1) {
		for _, call := range blockCall.FindAllStringSubmatch(strings.ReplaceAll(found[1], "\\\n", " "), -1) {
			calls = append(calls, call[1])
		}
	}
	for _, found := range codeSpan.FindAllStringSubmatch(block.ReplaceAllString(page, ""), -1) {
		calls = append(calls, found[1])
	}
	return calls
}

// checkCall returns what is wrong with a call, "" for nothing.
func checkCall(root *cobra.Command, call string) string {
	words := strings.Fields(call)
	command, rest, err := root.Find(words[1:])
	if err != nil {
		return fmt.Sprintf("%s: %v", call, err)
	}
	if command == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return fmt.Sprintf("%s: there is no command %s", call, rest[0])
	}
	for _, word := range rest {
		name, isLong := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		if isLong && name != "" && name != "help" && command.Flag(name) == nil {
			return fmt.Sprintf("%s: %s has no flag --%s", call, command.CommandPath(), name)
		}
	}
	return ""
}
