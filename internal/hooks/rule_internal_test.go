package hooks

import (
	"testing"

	"github.com/compound-docs/compound-docs/rag"
)

type ruleCase struct{ content, snippet, want string }

// The rule was written with the first set in view. The second one was put aside.
func ruleCases() map[string][]ruleCase {
	return map[string][]ruleCase{
		"own": {
			{"## Context\n\nThe pool has forty connections. We lost two hours in May. Never call a merchant inside a transaction. It pins one.", "The pool has forty connections.", "Never call a merchant inside a transaction."},
			{"A long report ran at night. Set `lock_timeout` to 2 s first; you must retry then.\nThat is all.", "A long report ran at night.", "Set `lock_timeout` to 2 s first; you must retry then."},
			{"# Claims\n\nNever run `kubectl delete pvc` in streaming: its disk is gone.", "Never run `kubectl delete pvc`", "Never run `kubectl delete pvc` in streaming: its disk is gone."},
			{"```sh\nnever.sh must\n```\n\nUse version 1.4.2 of it. Do not\nuse its cache in CI.", "version 1.4.2", "Do not use its cache in CI."},
			{"The gateway repeats messages. It does so after ten seconds.", "The gateway repeats messages.", ""},
			{"Prices are floats here.\n\n- Avoid `toFixed` for them.\n- Round at the end.", "Prices are floats", "Avoid `toFixed` for them."},
		},
		"other": {
			{"### Decision\n\nWe looked at three queues in spring. Events are always written in the transaction of the change. A relay sends them.", "A relay sends them.", "Events are always written in the transaction of the change."},
			{"Umlauts came out as two signs. Zebra printers need `^CI28`. You should never send a label without it!", "Zebra printers need", "You should never send a label without it!"},
			{"Each map view costs money.\n\n* Tiles must not be loaded\n  before the tab is visible.\n* They are big.", "Each map view", "Tiles must not be loaded before the tab is visible."},
			{"Instead of a second process, start a goroutine. It stops with its owner.", "It stops with", "Instead of a second process, start a goroutine."},
			{"| never | must |\n|---|---|\n\nClocks drift. They drift more in winter.", "Clocks drift.", ""},
			{"One scan in eleven is late. Don't sort by arrival, e.g. in reports. Sort by sequence.", "sort by arrival", "Don't sort by arrival, e.g. in reports."},
		},
	}
}

// The sentence with the rule is quoted, whatever stands around it: headings, code, tables and lists.
func TestRuleIn(t *testing.T) {
	t.Parallel()
	for name, cases := range ruleCases() {
		right := 0
		for _, c := range cases {
			got := candidate{Hit: rag.Hit{Content: c.content, Snippet: c.snippet, StartLine: 9}}.rule()
			if got == c.want {
				right++
			} else {
				t.Logf("%s: got %q, want %q", name, got, c.want)
			}
		}
		if right < len(cases)-1 {
			t.Errorf("%s: %d of %d rules are found", name, right, len(cases))
		}
	}
}

// The sentence of a warning has the code for which it came, and that of a failure says what follows its message.
func TestSentence_OfAQuote(t *testing.T) {
	t.Parallel()
	const report = "**Impact.** Locks were lost. You must read this.\n\nThe colours were stale, so the engineer typed\n\n" +
		"```sh\nredis-cli ping\nredis-cli FLUSHALL\n```\n\nRun `redis-cli UNLINK` instead. `UNLINK` is slow. A plain `redis-cli` is fine."
	for quote, want := range map[string]string{
		"redis-cli FLUSHALL": "The colours were stale, so the engineer typed redis-cli FLUSHALL",
		"redis-cli UNLINK":   "Run `redis-cli UNLINK` instead.",
		"UNLINK":             "`UNLINK` is slow.",
		"redis-cli":          "A plain `redis-cli` is fine.",
		"":                   "You must read this.",
	} {
		if got := (candidate{Hit: rag.Hit{Content: report, StartLine: 1}, quote: quote}).rule(); got != want {
			t.Errorf("%q is in %q, want %q", quote, got, want)
		}
	}
	const failures = "Known messages:\n\n| message | do |\n|---|---|\n| `disk quota exceeded` | empty the scratch folder first |\n\n" +
		"`lock is held` by a dead job: remove the lock file.\n\n```\npool timed out\nat line 3\n```\n\nA worker keeps its connection."
	for quote, want := range map[string]string{
		"disk quota exceeded": "empty the scratch folder first",
		"lock is held":        "by a dead job: remove the lock file.",
		"pool timed out":      "A worker keeps its connection.",
		"at line 4":           "",
		"":                    "",
	} {
		if got := (candidate{Hit: rag.Hit{Content: failures}, quote: quote}).behindQuote(); got != want {
			t.Errorf("behind %q is %q, want %q", quote, got, want)
		}
	}
}
