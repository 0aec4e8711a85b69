package workspace_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/workspace"
)

// odd are files with contents that are seldom seen. reason is why one cannot be
// indexed, "" if it can.
func odd() []struct{ name, content, reason string } {
	frontMatter, _, _ := strings.Cut(problem("Odd", "x"), "\n\n")
	return []struct{ name, content, reason string }{
		{"good.md", problem("Good", "About apples."), ""},
		{"crlf.md", strings.ReplaceAll(problem("Lines", "About bananas.\n\nAnd more."), "\n", "\r\n"), ""},
		{"bom.md", "\ufeff" + problem("Mark", "About cherries."), ""},
		{"front-matter-only.md", frontMatter + "\n", ""},
		{"one-line.md", problem("Line", strings.Repeat("word and another word. ", 1<<20/23)), ""},
		{"one-word.md", problem("Word", strings.Repeat("x", 1<<20)), ""},
		{"new line.md", problem("Name", "About dates."), ""},
		{"spelt-escape.md", strings.Replace(problem("Spelt", "x"), "tion: ", "tion: 'C:\\u0000 and \\0' # ", 1), ""},
		{"empty.md", "", "title"},
		{"latin1.md", problem("Latin", "caf\xe9"), "not valid UTF-8"},
		{"binary.md", problem("Binary", "a\x00b"), "NUL byte"},
		{"escaped-nul.md", strings.Replace(problem("Nul", "x"), "problem_type: bug", `problem_type: "b\0g"`, 1), "problem_type"},
		{"nul-title.md", strings.Replace(problem("Nul", "x"), "title: Nul", `title: "N\0l"`, 1), "NUL character"},
		{"unclosed.md", "---\ntitle: Unclosed\n", "line 1"},
		{"no-yaml.md", "---\n: [\n---\n", "line"},
		{"huge.md", strings.Repeat("x", 5<<20), "5242880 bytes"},
		{"name\xff.md", problem("Name", "x"), "not valid UTF-8"},
	}
}

func indexedPaths(t *testing.T, f *fixture) []string {
	t.Helper()
	return f.rows(t, `SELECT relative_path FROM documents ORDER BY relative_path COLLATE "C"`)
}

// reasons returns why files have failed, by path: the expected words if they are
// in it.
func reasons(status workspace.IndexStatus, want map[string]string) map[string]string {
	got := map[string]string{}
	for _, failed := range status.Failed {
		got[failed.Path] = failed.Reason
		if expected, ok := want[failed.Path]; ok && strings.Contains(failed.Reason, expected) {
			got[failed.Path] = expected
		}
	}
	return got
}

func TestActive_OddFilesHoldUpNothing(t *testing.T) {
	t.Parallel()
	files, good, bad := map[string]string{}, []string{}, map[string]string{}
	for _, file := range odd() {
		files[docs+file.name] = file.content
		if file.reason == "" {
			good = append(good, docs+file.name)
		} else {
			bad[docs+file.name] = file.reason
		}
	}
	slices.Sort(good)
	f := setup(t, files)
	first, second := f.server(t), f.server(t)
	indexing := f.activate(t, first, "main")
	following := f.activate(t, second, "main")
	if diff := cmp.Diff(good, indexedPaths(t, f)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	for name, active := range map[string]*workspace.Project{"indexing": indexing, "following": following} {
		want := bad
		if name == "following" {
			// What is published is JSON, which has no such bytes.
			want = map[string]string{}
			for path, reason := range bad {
				want[strings.ToValidUTF8(path, "\ufffd")] = reason
			}
		}
		eventually(t, "the "+name+" server knows the files that failed", func() bool {
			return cmp.Equal(want, reasons(active.Status(), want))
		})
		if status := active.Status(); status.Pending() != 0 || status.Waiting != "" {
			t.Errorf("the %s server's status is %+v, want nothing pending", name, status)
		}
	}

	// Half of the bad ones are corrected, the others go.
	correct := true
	for _, file := range odd() {
		if file.reason == "" {
			continue
		}
		if correct && file.name != "name\xff.md" {
			f.Put(docs+file.name, problem("Corrected", "About elderberries in "+file.name))
			good = append(good, docs+file.name)
		} else if err := os.Remove(f.Path(docs + file.name)); err != nil {
			t.Fatal(err)
		}
		correct = !correct
	}
	slices.Sort(good)
	eventually(t, "nothing has failed any more", func() bool {
		return indexing.Status().Current() && following.Status().Current()
	})
	if diff := cmp.Diff(good, indexedPaths(t, f)); diff != "" {
		t.Errorf("documents once they are corrected (-want +got):\n%s", diff)
	}
}

// The project's own documents are indexed even if the external folder is corrupt.
func TestActive_CorruptExternalFolder(t *testing.T) {
	t.Parallel()
	spoil := map[string]func(f *fixture){
		"missing":          func(*fixture) {},
		"a file":           func(f *fixture) { f.Put("manual", "x") },
		"a link out":       func(f *fixture) { f.Must(os.Symlink(os.TempDir(), f.Path("manual"))) },
		"a link to itself": func(f *fixture) { f.Must(os.Symlink("manual", f.Path("manual"))) },
	}
	for name, spoilt := range spoil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, map[string]string{"manual/m.md": "# Manual\n", docs + "a.md": problem("A", "About apples.")})
			f.Put(".csharp-compounding-docs/config.json", `{"project_name": "test-project", "external_docs": {"path": "./manual"}}`)
			s := f.server(t)
			active := f.activate(t, s, "main")
			f.Remove("manual")
			spoilt(f)
			eventually(t, "it is told of", func() bool { return active.Status().Waiting != "" })
			f.Put(docs+"b.md", problem("B", "About bananas."))
			eventually(t, "the project's own documents are indexed", func() bool {
				got := found(t, s, "bananas")
				return len(got) == 2
			})
			f.Remove("manual")
			f.Put("manual/n.md", "# Another manual\n")
			eventually(t, "the folder is indexed when it is there again", func() bool {
				current, err := s.Active(t.Context())
				return err == nil && current.Status().Current() &&
					cmp.Equal([]string{docs + "a.md", docs + "b.md", "manual/n.md"}, indexedPaths(t, f))
			})
		})
	}
}

// External docs need no front matter, so that less of them is wrong.
func TestActive_OddExternalFiles(t *testing.T) {
	t.Parallel()
	f := setup(t, map[string]string{
		"manual/empty.md": "", "manual/blank.md": "\n\n", "manual/crlf.md": "# Lines\r\n\r\nText.\r\n", "manual/bom.md": "\ufeff# Mark\n",
		"manual/latin1.md": "caf\xe9", "manual/rule.md": "---\n\nText.\n", "manual/binary.md": "a\x00b", "manual/line.md": strings.Repeat("word ", 1<<20/5),
	})
	f.Put(".csharp-compounding-docs/config.json", `{"project_name": "test-project", "external_docs": {"path": "./manual"}}`)
	active := f.activate(t, f.server(t), "main")
	want := []string{"manual/blank.md", "manual/bom.md", "manual/crlf.md", "manual/empty.md", "manual/latin1.md", "manual/line.md", "manual/rule.md"}
	if diff := cmp.Diff(want, indexedPaths(t, f)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	failed := map[string]string{"manual/binary.md": "NUL byte"}
	if diff := cmp.Diff(failed, reasons(active.Status(), failed)); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
}
