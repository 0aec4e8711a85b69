package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/recall"
)

// What hooks have shown most often comes first, with what lint says of it.
func TestReview_NamesWhatIsUsedMost(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const insights = "csharp-compounding-docs/insights/"
	document := func(title, more string) string {
		return "---\ntitle: " + title + "\ndate: 2026-01-02\nsummary: s\n" + more + "---\n\nAbout " + title + ".\n"
	}
	write(t, root, ".git/HEAD", "ref: refs/heads/main\n")
	write(t, root, ".csharp-compounding-docs/config.json", `{"project_name": "p", "documents": {"folder": "csharp-compounding-docs", "lenient": true}}`)
	write(t, root, insights+"a.md", document("a rule", "promotion_level: critical\n"))
	write(t, root, insights+"b.md", document("another rule", "promotion_level: critical\n"))
	write(t, root, insights+"c.md", document("what holds today", "supersedes: [a.md, b.md]\n"))
	home := t.TempDir()
	for session, paths := range map[string][]string{"one": {"b.md", "c.md"}, "two": {"b.md"}} {
		err := recall.NewStore(home).Update(session, func(s *recall.Session) error {
			for _, path := range paths {
				s.Shown = append(s.Shown, recall.Shown{Project: root, Path: insights + path, Opened: session == "one"})
			}
			s.Shown = append(s.Shown, recall.Shown{Project: "/elsewhere", Path: insights + "a.md"})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	environment := []string{"CDOCS_HOME=" + home}
	var lines []string
	for line := range strings.Lines(mustRun(t, root, environment, "review").stdout) {
		lines = append(lines, strings.SplitN(strings.TrimSpace(line), "is critical", 2)[0])
	}
	got := strings.Join(lines, "|")
	want := insights + "b.md returned 0 times, shown 2 times, opened 1 time|5: it |" + insights + "a.md returned 0 times, shown 0 times, opened 0 times|5: it "
	if got != want {
		t.Errorf("review says %q, want %q", got, want)
	}
	recalls := mustRun(t, root, environment, "review", "--recalls").stdout
	if want := insights + "b.md returned 0 times, shown 2 times, opened 1 time\n" + insights + "c.md returned 0 times, shown 1 time, opened 1 time\n"; recalls != want {
		t.Errorf("review --recalls says %q, want %q", recalls, want)
	}
}

// Documents of different dates that are about the same stand in the list, the most used pairs
// first where there are many.
func TestReview_NamesWhatMayContradict(t *testing.T) {
	t.Parallel()
	root, home := t.TempDir(), t.TempDir()
	document := func(subject, month string) string {
		return "---\ntitle: " + subject + " lease\ndate: 2026-" + month + "-02\nsummary: s\n---\n\n" +
			"How long the " + subject + " lease of workers lasts, and what renews it, month " + month + " says.\n"
	}
	write(t, root, ".git/HEAD", "ref: refs/heads/main\n")
	write(t, root, ".csharp-compounding-docs/config.json", `{"project_name": "p", "documents": {"folder": "docs", "lenient": true}}`)
	for i := range 21 {
		subject := fmt.Sprintf("subject%c", 'a'+i)
		write(t, root, "docs/"+subject+"-old.md", document(subject, "01"))
		write(t, root, "docs/"+subject+"-new.md", document(subject, "02"))
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	const used = "docs/subjectu-old.md"
	err = recall.NewStore(home).Add(root, recall.Usage{Returned: map[string]recall.Count{used: {Times: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	stdout := mustRun(t, root, []string{"CDOCS_HOME=" + home}, "review").stdout
	if found := strings.Count(stdout, "(contradictory)"); found != 40 {
		t.Errorf("review names %d findings, want two for each of 20 pairs", found)
	}
	want := used + " returned 3 times, shown 0 times, opened 0 times\n  7: it may contradict docs/subjectu-new.md:7 (2026-02-02); "
	if !strings.HasPrefix(stdout, want) {
		t.Errorf("review says %q, want it to begin with %q", stdout, want)
	}
}

// What searches found, and what they did not, is listed; nothing is where the user does not
// want it counted.
func TestReview_ListsWhatSearchesDidNotFind(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	home := t.TempDir()
	environment = append(environment, "CDOCS_HOME="+home, "CDOCS_OLLAMA_HOST=http://127.0.0.1:1")
	const problems = "csharp-compounding-docs/problems/"
	root := newProject(t, map[string]string{
		problems + "pool.md":  strings.ReplaceAll(problem, "%", "Connection pool exhausted"),
		problems + "cache.md": strings.ReplaceAll(problem, "%", "Velvet cache"),
	})
	mustRun(t, root, environment, "search", "connection pool exhausted")
	for range 2 {
		run(t, root, environment, "search", "zebra crossing")
	}
	run(t, root, environment, "search", "--doc-types", "tool", "connection pool")
	o := mustRun(t, root, environment, "review", "--questions")
	if want := "zebra crossing (asked 2 times, last on "; !strings.HasPrefix(o.stdout, want) || strings.Count(o.stdout, "\n") != 1 {
		t.Errorf("review --questions says %q, want one line with %q", o.stdout, want)
	}
	o = mustRun(t, root, environment, "review", "--unused", "1")
	if !strings.Contains(o.stdout, problems+"cache.md returned 0 times") || strings.Contains(o.stdout, "pool.md") ||
		!strings.Contains(o.stderr, "note: searches are counted since 20") {
		t.Errorf("review --unused says %q and %q", o.stdout, o.stderr)
	}
	if err := os.RemoveAll(filepath.Join(home, "recalls")); err != nil {
		t.Fatal(err)
	}
	write(t, home, "settings.json", `{"count_searches": false}`)
	run(t, root, environment, "search", "zebra crossing")
	if entries, err := os.ReadDir(filepath.Join(home, "recalls")); err == nil {
		t.Errorf("with count_searches off there are %v", entries)
	}
}
