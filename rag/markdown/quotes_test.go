package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tone says in one character what a document says of a quote.
func tone(q Quote) string {
	switch {
	case q.Said:
		return `"`
	case q.Odds > 0:
		return "!"
	default:
		return "+"
	}
}

func TestQuotes_SayWhatIsAdvised(t *testing.T) {
	t.Parallel()
	parsed, err := Parse([]byte("---\ntitle: T\nsolution: use `make up`\n---\n\nNever run `a b`, which deletes all volumes. Use `c d` instead. It prints \"no such host here\".\n\n" +
		"Do not use\n`g h` here.\n\nInstead run:\n\n```sh\n$ l m # a comment\n# another\nn \\\n  o\n```\n\n```go\nnot()\n```\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range parsed.Quotes() {
		got = append(got, tone(q)+q.Text)
	}
	want := []string{"+make up", `"no such host here`, "!a b", "+c d", "!g h", "+l m", "+n o"}
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
			warned[quote.Text] = warned[quote.Text] || quote.Odds > 0
		}
		if test.wrong != "-" && !warned[test.wrong] || warned[test.right] {
			t.Errorf("%s: the document warns of %v, want %q", test.name, warned, test.wrong)
		}
	}
}

// A quote says for which place it is, and what the sentence says of it. It is read back as it was written.
func TestQuotes_SayWhereAndWhy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Inside `a/b` never call `f()`.":             "!f()\ta/b",
		"Never call `f()` in `a.conf`.":              "!f()\ta.conf",
		"Never call `f()` except in `a/b`.":          "!f()\toutside a/b",
		"Never call `f()` outside of `a/`.":          "!f()\toutside a/",
		"Never call `f()` in tests.":                 "!f()\t" + Tests,
		"Never call `f()` outside tests.":            "!f()\t" + OutsideTests,
		"Never run\n\n    a b\n\nUse this:\n\n\ta c": "+a c",
	} {
		parsed, err := Parse([]byte("# T\n\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range parsed.Quotes() {
			got = append(got, tone(q)+strings.TrimRight(q.Text+"\t"+q.Place, "\t"))
			if back := ParseQuote(q.String()); back != q {
				t.Errorf("%q: %+v is read back as %+v", text, q, back)
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

// A list of changes says what was mended. It has no rules.
func TestQuotes_OfChanges(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{"Changelog": false, "2.3.x Release Series": false, "How we change queues": true} {
		parsed, err := Parse([]byte("# " + title + "\n\n- Do not use `a b` (#12)\n"))
		if err != nil {
			t.Fatal(err)
		}
		if quotes := parsed.Quotes(); quotes[0].IsForbidden() != want {
			t.Errorf("%s: %+v, want a rule: %t", title, quotes, want)
		}
	}
}

// What a sentence plainly says of code counts as said, for all code of a list, with its exception.
func TestQuotes_SaidPlainly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Never run `a b`: it hangs.":                                           "!a b",
		"You must never use a plain `a b`, `c d` or `e f`.":                    "!a b !c d !e f",
		"Please don't sort with `a b`.":                                        "!a b",
		"`a b` and `c d` are not allowed.":                                     "!a b !c d",
		"`a b` must not be run by hand.":                                       "!a b",
		"Never run this on the replica:\n\n    a b":                            "!a b",
		"Never run `a b` without `--x`.":                                       "!a b unless --x +--x",
		"Never run `a b` on Mondays without `--x` or `--y`.":                   "!a b unless --x|--y +--x +--y",
		"Never run `a b` with `--x`.":                                          "!a b … --x ?--x",
		"Never write `site_id` as a label, or run `a b` there.":                "?site_id ?a b",
		"If you don't set `a b`, nobody does. You do not need to call `c d`.":  "?a b ?c d",
		"Never use the `bash` syntax, and avoid `uv` errors.":                  "?bash ?uv",
		"Never use the `--force` flag. Avoid `any`, and never use `npm` here.": "!--force !any !npm",
		"Major versions of `wrangler` are forbidden.":                          "?wrangler",
		"Run `c d` instead. `e f` and `g h` are fine.":                         "+c d +e f +g h",
		"Do this instead:\n\n    a b":                                          "+a b",
		"Never on `host`: nobody may write to `table`.":                        "?host ?table",
		"Don't forget `a b`, and never wait for `c d`.":                        "?a b ?c d",
		"Do not commit without running:\n\n    a b":                            "?a b",
		"Never commit before `a b` is green.":                                  "?a b",
		"I don't mind losing it, `a b`. Never mind: `c d`.":                    "?a b ?c d",
		"Is `a b` never fine? In June we had never run `c d`.":                 "?a b ?c d",
	} {
		parsed, err := Parse([]byte("# T\n\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range parsed.Quotes() {
			said := "?"
			switch q.Odds {
			case mostOdds:
				said = "!"
			case -mostOdds:
				said = "+"
			}
			if q.Unless != "" {
				q.Text += " unless " + strings.ReplaceAll(strings.TrimRight(q.Unless, "\t"), "\t", "|")
			}
			got = append(got, said+q.Text)
			if back := ParseQuote(q.String()); back.Unless != q.Unless {
				t.Errorf("%q: the exception %q is read back as %q", text, q.Unless, back.Unless)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %q, want %s", text, got, want)
		}
	}
}
