package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/internal/hooks"
)

// What hooks have shown of the project is listed, the latest first.
func TestReview_ListsWhatHooksHaveShown(t *testing.T) {
	t.Parallel()
	root, home := newProject(t, nil), t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for session, paths := range map[string][]string{"one": {"b.md", "c.md"}, "two": {"b.md"}} {
		err := hooks.NewStore(home).Update(t.Context(), session, func(s *hooks.Session) {
			for i, path := range paths {
				s.Shown = append(s.Shown, hooks.Shown{
					Project: root, Path: path, At: at.Add(time.Duration(i) * time.Hour), Event: hooks.Failure, Why: "same error",
				})
			}
			s.Shown = append(s.Shown, hooks.Shown{Project: "/elsewhere", Path: "a.md", At: at})
		})
		must(t, err)
	}
	environment := []string{"CDOCS_HOME=" + home}
	want := "Every question has found something.\nDocuments that hooks have shown, 3 pointers in 2 sessions, at most 2 in one:\n" +
		"  c.md (2026-01-02 04:04:05, PostToolUseFailure: same error)\n" +
		"  b.md (2026-01-02 03:04:05, PostToolUseFailure: same error)\n" +
		"  b.md (2026-01-02 03:04:05, PostToolUseFailure: same error)\n"
	environment = append(environment, "TZ=UTC")
	if got := mustRun(t, root, environment, "review").stdout; got != want {
		t.Errorf("review says %q, want %q", got, want)
	}
}

// Questions that found nothing are listed. None is kept where the user does not want it.
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
	o := mustRun(t, root, environment, "review")
	if want := "Questions that found nothing:\n  zebra crossing (last on 20"; !strings.HasPrefix(o.stdout, want) || strings.Contains(o.stdout, "pool") {
		t.Errorf("review says %q, want %q", o.stdout, want)
	}
	write(t, root, problems+"zebra.md", strings.ReplaceAll(problem, "%", "Zebra crossing"))
	mustRun(t, root, environment, "search", "zebra crossing")
	if said := mustRun(t, root, environment, "review").stdout; strings.Contains(said, "zebra") {
		t.Errorf("a question that was answered since is listed: %s", said)
	}
	must(t, os.Remove(filepath.Join(root, problems+"zebra.md")))
	must(t, os.RemoveAll(filepath.Join(home, "recalls")))
	write(t, home, "settings.json", `{"keep_questions": false}`)
	run(t, root, environment, "search", "zebra crossing")
	if entries, err := os.ReadDir(filepath.Join(home, "recalls")); err == nil {
		t.Errorf("with keep_questions off there are %v", entries)
	}
}
