package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuotes_SayWhatIsAdvised(t *testing.T) {
	t.Parallel()
	parsed, err := Parse([]byte("---\ntitle: T\nsolution: use `make up`\n---\n\nNever run `a b`, use `c d`. A `e f` breaks it. " +
		"Do not use\n`g h` here. `i j` is forbidden.\n\nNever pass a string with quotes in it to `k`.\n\n" +
		"Instead run:\n\n```sh\n$ l m\n# a comment\n```\n\n```go\nnot()\n```\n\nThat was seen:\n\n~~~\nerror 1\n~~~\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range parsed.Quotes() {
		got = append(got, q.String())
	}
	want := []string{"+make up", "!a b", "+c d", " e f", "!g h", "!i j", " k", "+l m", " error 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Code that a document shows as wrong is warned of, whatever the language and however it says so. The second half was
// written in other words and languages, and nothing was changed for it.
func TestQuotes_OfWrongCode(t *testing.T) {
	t.Parallel()
	const fence = "```"
	for _, test := range []struct{ name, text, wrong, right string }{
		{
			"comment in Go", "Log no personal data:\n\n" + fence + "go\n// good\nlog.Warn(\"delivery failed\", \"shipment\", s.ID)\n\n// never: it stays\nlog.Warn(\"delivery failed\", \"phone\", s.Phone)\n" + fence,
			`log.Warn("delivery failed", "phone", s.Phone)`, `log.Warn("delivery failed", "shipment", s.ID)`,
		},
		{
			"headings", "## Right\n\n" + fence + "go\nreturn fmt.Errorf(\"open config: %w\", err)\n" + fence + "\n\n## Wrong\n\n" + fence + "go\nreturn fmt.Errorf(\"failed to open config\")\n" + fence,
			`return fmt.Errorf("failed to open config")`, `return fmt.Errorf("open config: %w", err)`,
		},
		{"prose above", "Never do this:\n\n" + fence + "ts\nconst users = await fetchEverything(database)\n" + fence, `const users = await fetchEverything(database)`, "-"},
		{
			"behind the line", fence + "python\nrequests.get(address, verify=False)  # bad: anybody may listen\nrequests.get(address, timeout=5)\n" + fence,
			"requests.get(address, verify=False)", "requests.get(address, timeout=5)",
		},
		{
			"emoji", fence + "csharp\n// ❌\nvar started = DateTime.Now.AddHours(offset);\n// ✅\nvar started = clock.UtcNow.AddHours(offset);\n" + fence,
			"var started = DateTime.Now.AddHours(offset);", "var started = clock.UtcNow.AddHours(offset);",
		},

		{
			"don't in Rust", "### Don't\n\n" + fence + "rust\nlet handle = connection.lock().unwrap().clone();\n" + fence + "\n\n### Do\n\n" + fence + "rust\nlet handle = connection.try_lock()?.handle();\n" + fence,
			"let handle = connection.lock().unwrap().clone();", "let handle = connection.try_lock()?.handle();",
		},
		{
			"avoid in Java", fence + "java\n/* Avoid: */\nThread.sleep(Duration.ofSeconds(retries).toMillis());\n/* Instead: */\nscheduler.schedule(attempt, retries, SECONDS);\n" + fence,
			"Thread.sleep(Duration.ofSeconds(retries).toMillis());", "scheduler.schedule(attempt, retries, SECONDS);",
		},
		{
			"bold word", "**Incorrect**\n\n" + fence + "jsx\nuseEffect(() => { loadOrders(customer) })\n" + fence + "\n\n**Correct**\n\n" + fence + "jsx\nuseEffect(() => { loadOrders(customer) }, [customer])\n" + fence,
			"useEffect(() => { loadOrders(customer) })", "useEffect(() => { loadOrders(customer) }, [customer])",
		},
		{"anti-pattern in Kotlin", "Anti-pattern:\n\n" + fence + "kotlin\nGlobalScope.launch { repository.refresh() }\n" + fence, "GlobalScope.launch { repository.refresh() }", "-"},
		{"only code", "The handler:\n\n" + fence + "go\nhandler.Register(\"orders\", listOrders)\n" + fence, "-", `handler.Register("orders", listOrders)`},
	} {
		warned := map[string]bool{}
		document, err := ParseAny([]byte("# Rules\n\n" + test.text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, quote := range document.Quotes() {
			warned[quote.Text] = warned[quote.Text] || quote.Advice == Warned
		}
		if test.wrong != "-" && !warned[test.wrong] || warned[test.right] {
			t.Errorf("%s: the document warns of %v, want %q", test.name, warned, test.wrong)
		}
	}
}

// A quote says for which place it is, and what the sentence says of it.
func TestQuotes_SayWhereAndWhy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Inside `a/b` never call `f()`.":            "!f()\ta/b",
		"Never call `f()` in `a.conf`.":             "!f()\ta.conf",
		"Never call `f()` except in `a/b`.":         "!f()",
		"It is written by `a b`.":                   "+a b",
		"Test with `a b`.":                          "+a b",
		"Cut the branch with `a b`.":                "+a b",
		"Branches are cut with `a b`.":              "+a b",
		"Cutting it with `a b` broke it.":           " a b",
		"The hint is to add `--a`. Don't.":          "!--a",
		"A mode (`--a b`) dies, so don't use it.":   "!--a b",
		"Functions in `a/b` wait. `c(` is one.":     " c(",
		"It was\n\n    a b\n\nUse this:\n\n\ta c":   "+a c",
		"It fails with\n\n    error: a b":           " error: a b",
		"- Item\n\n    more of `a b`":               " a b",
		"`a b` is enough.":                          "+a b",
		"We lost it when `c` was run in May: `a b`": " a b",
	} {
		parsed, err := Parse([]byte("# T\n\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range parsed.Quotes() {
			got = append(got, q.String())
			if back := ParseQuote(q.String()); back != q {
				t.Errorf("%q: %+v is read back as %+v", text, q, back)
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

// The line that leads to a block is read for advice once, however many lines the block has.
//
//nolint:paralleltest // it counts the allocations of the process
func TestQuotes_OfALongBlock(t *testing.T) {
	const lines = 1_000
	for name, block := range map[string]string{"fenced": "```sh\n" + strings.Repeat("a b c\n", lines) + "```\n", "indented": strings.Repeat("    a b c\n", lines)} {
		document, err := ParseAny([]byte("# T\n\nDo not use this, but run these in the order in which they stand instead:\n\n" + block))
		if err != nil {
			t.Fatal(err)
		}
		var quotes []Quote
		perLine := testing.AllocsPerRun(1, func() { quotes = document.Quotes() }) / lines
		if most := 5.; perLine > most || len(quotes) != maxQuotes || quotes[0].Advice != Advised {
			t.Errorf("%s: %d quotes, the first is %q, with %.1f allocations for each line, want at most %.0f", name, len(quotes), quotes[0], perLine, most)
		}
	}
}
