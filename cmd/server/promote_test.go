package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/ragtest"
	"github.com/compound-docs/compound-docs/test/testenv"
)

const promotable = "csharp-compounding-docs/problems/"

// promotion is a file of some shape at two levels, alike in all but one line.
type promotion struct{ before, after string }

// randomPromotion is a valid document: its keys in any order, quoted and
// commented in any way, and its promotion line anywhere or nowhere.
func randomPromotion(random *rand.Rand, i int, from, to string) promotion {
	pick := func(options ...string) string { return options[random.IntN(len(options))] }
	lines := []string{
		pick("title: ", "title:   ", "'title': ") + pick("Document %d", "\"Document %d\"", "'Document %d' # its title"),
		pick("date: 2026-01-02", "date: '2026-01-02'", "\"date\": 2026-01-02   "),
		pick("summary: promotion_level is a word here", "summary: >-\n  folded\n  promotion_level: standard", "summary: |\n  kept\n\n  promotion_level: critical"),
		"significance: " + pick("correctness", "'performance'"), "problem_type: bug",
		pick("symptoms: [it fails, 'promotion_level: x']", "symptoms:\n  - it fails\n  # a comment\n  - promotion_level"),
		"root_cause: " + pick("a mistake", "größe 数据 🎉", "\"a: b\""), "solution: |\n  ```\n  promotion_level: standard\n  ```",
	}
	lines[0] = fmt.Sprintf(lines[0], i)
	for _, optional := range []string{"# promotion_level: critical", "tags: [a, b]", "component: x", ""} {
		if random.IntN(2) == 0 {
			lines = append(lines, optional)
		}
	}
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	quote, at := pick("", "", "'", "\""), random.IntN(len(lines)+1)
	key, tail := pick("promotion_level: ", "promotion_level:    ", "'promotion_level': ", "promotion_level : "), pick("", "", "  ", " # promotion_level: standard")
	old, edited := []string{key + quote + from + quote + tail}, []string{key + quote + to + quote + tail}
	if from == "standard" && random.IntN(2) == 0 {
		old, edited, at = nil, []string{"promotion_level: " + to}, len(lines)
	}
	body := pick("", "\n# Heading\n\nSome text.\n", "\nSome text.\n\n---\npromotion_level: standard\n---\n",
		"\n"+strings.Repeat(fmt.Sprintf("## Section of %d\n\n%s\n", i, strings.Repeat("Words that make it long enough to be cut.\n", 25)), 1+random.IntN(3)))
	opening, closing := pick("---", "---  "), pick("---", "...")
	file := func(own []string) string {
		return strings.Join(slices.Concat([]string{opening}, lines[:at], own, lines[at:], []string{closing, body}), "\n")
	}
	p := promotion{before: file(old), after: file(edited)}
	change := func(f func(string) string) { p.before, p.after = f(p.before), f(p.after) }
	switch random.IntN(5) {
	case 0:
		change(func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })
	case 1:
		change(func(s string) string { return "\ufeff" + s })
	case 2:
		change(func(s string) string { return strings.TrimRight(s, "\n") })
	}
	return p
}

// levels is every document with its own level and those of its chunks.
func levels(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	lines, err := indexstate.Lines(t.Context(), pool, `
		SELECT concat_ws(' ', d.relative_path, d.promotion_level, string_agg(DISTINCT c.promotion_level::text, ','))
		FROM documents d JOIN document_chunks c ON c.project_id = d.project_id AND c.document_id = d.id
		GROUP BY d.project_id, d.id ORDER BY d.relative_path`)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// Two hundred files of every shape are promoted by the real server: each differs
// in its promotion line alone, and the index equals a new one.
func TestServe_PromotesFilesOfEveryShape(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "hundreds of files change at once")
	const number = 200
	random := rand.New(rand.NewPCG(20, 26))
	files, promotions := map[string]string{}, map[string]promotion{}
	known := []string{"standard", "important", "critical"}
	answers := map[string]promotionAnswer{}
	for i := range number {
		from, to := known[random.IntN(3)], known[random.IntN(3)]
		for to == from {
			to = known[random.IntN(3)]
		}
		name := fmt.Sprintf("doc-%03d.md", i)
		promotions[name] = randomPromotion(random, i, from, to)
		files[promotable+name] = promotions[name].before
		answers[name] = promotionAnswer{Status: "updated", DocumentPath: "problems/" + name, PreviousLevel: from, NewLevel: to}
	}
	root := newProject(t, files)
	fake := fakeollama.Start(t)
	ollama, databaseURL := "CDOCS_OLLAMA_HOST="+fake.URL(), ragtest.IndexURL(t)
	pool := indexstate.OpenPool(t, databaseURL)
	session := connect(t, server(t, "CDOCS_DATABASE_URL="+databaseURL, ollama, "CDOCS_LOG_LEVEL=warn"))
	activateWhole(t, session, root)
	want := []string{}
	for name, p := range promotions {
		if diff := cmp.Diff(1, differing(p.before, p.after)); diff != "" {
			t.Fatalf("lines that differ (-want +got):\n%s\n%s", diff, p.before)
		}
		var answer promotionAnswer
		arguments := map[string]any{"document_path": "problems/" + name, "promotion_level": answers[name].NewLevel}
		if failed := call(t, session, "update_promotion_level", arguments, &answer); failed {
			t.Fatalf("%s failed:\n%s", name, p.before)
		}
		if diff := cmp.Diff(answers[name], answer); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
		content, err := os.ReadFile(filepath.Join(root, promotable, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.after, string(content)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		level := answers[name].NewLevel
		want = append(want, strings.Join([]string{promotable + name, level, level}, " "))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, levels(t, pool)); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	promoted := snapshot(t, pool)
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	fresh := ragtest.IndexURL(t)
	syncWhole(t, root, "CDOCS_DATABASE_URL="+fresh, ollama)
	if diff := cmp.Diff(snapshot(t, indexstate.OpenPool(t, fresh)), promoted); diff != "" {
		t.Errorf("index (-fresh +promoted):\n%s", diff)
	}
	entries, err := os.ReadDir(filepath.Join(root, promotable))
	if err != nil || len(entries) != number {
		t.Errorf("%d files are left in the folder, want %d (%v)", len(entries), number, err)
	}
}

type promotionAnswer struct {
	Status        string `json:"status"`
	DocumentPath  string `json:"document_path"`
	PreviousLevel string `json:"previous_level"`
	NewLevel      string `json:"new_level"`
}

// differing is how many lines of after are not those of before, where after may
// have one more.
func differing(before, after string) (count int) {
	old, edited := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, line := range edited {
		if len(old) > 0 && old[0] == line {
			old = old[1:]
			continue
		}
		count++
		if len(edited) == len(strings.Split(before, "\n")) {
			old = old[1:]
		}
	}
	return count + len(old)
}

// What is promoted is found by its level, and a critical document is among the
// sources of an answer that it has nothing to do with.
func TestServe_PromotionReachesSearchAndAnswers(t *testing.T) {
	t.Parallel()
	document := func(title, text string) string {
		return "---\ntitle: " + title + "\ndate: 2026-01-02\nsummary: " + text + "\nsignificance: correctness\nproblem_type: bug\n" +
			"symptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n---\n\n" + text + "\n"
	}
	root := newProject(t, map[string]string{
		promotable + "pool.md":   document("Connection pool exhausted", "The database connection pool runs dry under load."),
		promotable + "labels.md": document("Label printing", "Umlauts come out wrong on the label printer."),
	})
	fake := fakeollama.Start(t)
	session := connect(t, server(t, "CDOCS_DATABASE_URL="+ragtest.IndexURL(t), "CDOCS_OLLAMA_HOST="+fake.URL(), "CDOCS_LOG_LEVEL=warn"))
	activateWhole(t, session, root)
	var answer promotionAnswer
	if call(t, session, "update_promotion_level", map[string]any{"document_path": "problems/labels.md", "promotion_level": "critical"}, &answer) {
		t.Fatal("not promoted")
	}
	type source struct {
		Path           string `json:"path"`
		PromotionLevel string `json:"promotion_level"`
	}
	var found struct {
		Results []source `json:"results"`
		Sources []source `json:"sources"`
	}
	want := []source{{"./" + promotable + "labels.md", "critical"}}
	call(t, session, "semantic_search", map[string]any{
		"query": "database connection pool", "promotion_levels": []string{"critical"}, "min_relevance_score": 0,
	}, &found)
	if diff := cmp.Diff(want, found.Results); diff != "" {
		t.Errorf("critical results (-want +got):\n%s", diff)
	}
	call(t, session, "rag_query", map[string]any{"query": "why does the database connection pool run dry", "min_relevance_score": 0.3}, &found)
	want = []source{{"./" + promotable + "pool.md", "standard"}, want[0]} // by relevance
	if diff := cmp.Diff(want, found.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// The line that a promotion adds can make a document count as long, and change its passages.
func TestServe_PromotesDocumentsOfEveryLength(t *testing.T) {
	t.Parallel()
	head := "---\ntitle: Long\ndate: 2026-01-02\nsummary: Long\nsignificance: correctness\nproblem_type: bug\n" +
		"symptoms: [it fails]\nroot_cause: a mistake\nsolution: correct it\n---\n# Long\n\nOne.\n\n## Part\n\nTwo.\n"
	files := map[string]string{}
	for lines := 498; lines <= 502; lines++ {
		files[fmt.Sprintf("%s%d.md", promotable, lines)] = head + strings.Repeat("\n", lines-strings.Count(head, "\n"))
	}
	root := newProject(t, files)
	fake, databaseURL := fakeollama.Start(t), ragtest.IndexURL(t)
	session := connect(t, server(t, "CDOCS_DATABASE_URL="+databaseURL, "CDOCS_OLLAMA_HOST="+fake.URL(), "CDOCS_LOG_LEVEL=warn"))
	activateWhole(t, session, root)
	want := []string{}
	for path := range files {
		var answer toolError
		arguments := map[string]any{"document_path": path, "promotion_level": "important"}
		if call(t, session, "update_promotion_level", arguments, &answer) {
			t.Errorf("%s: %+v", path, answer)
		}
		want = append(want, fmt.Sprintf("%s %[2]s %[2]s", path, "important"))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, levels(t, indexstate.OpenPool(t, databaseURL))); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}
