package answer_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/answer"
)

// contradictions has notes that contradict a document of the evaluation set, as somebody
// may write them a year later who does not know it, each with a question that both answer.
var contradictions = []struct{ of, title, text, question string }{
	{
		"problems/alert-storm-threshold.md", "Wave alarms clear at once",
		"An alarm of the wave height is cleared by the first reading below its limit. Hysteresis and holding times were taken out, because officers waited for alarms that were long over.",
		"when is an alarm cleared after the wave height falls below its limit",
	},
	{
		"problems/buoy-clock-drift.md", "Trust the GPS week number",
		"Timestamps of buoys are taken as they come, also after a cold start. The GPS week number is right before the first fix, so that no reading is held back.",
		"can we trust buoy timestamps after a cold start",
	},
	{
		"problems/csv-export-decimal-comma.md", "The CSV export always has commas",
		"Exported files separate their columns with commas for every locale. The format for German Excel with semicolons was removed.",
		"which separator does the CSV export use for German Excel",
	},
	{
		"problems/iridium-duplicate-packets.md", "Repeated satellite packets are stored twice on purpose",
		"The ingest no longer drops packets that the satellite gateway repeats: both are stored, and the chart takes the second.",
		"what does the ingest do with packets that the satellite gateway repeats",
	},
	{
		"problems/jwt-clock-skew.md", "No leeway for tokens",
		"The API accepts no clock skew: a token that was issued in its future is refused with KL-AUTH-017, by one second too.",
		"how much clock skew does the API accept for tokens",
	},
	{
		"problems/migration-deadlock-deploy.md", "Migrations wait for reports",
		"A migration waits until a running report has ended, for an hour if it must. The lock timeout of two seconds broke deployments and is gone.",
		"does a migration give up while a long report holds the table",
	},
	{
		"problems/search-index-stale.md", "Only the editor updates the full-text index",
		"Quillbox updates its search index from the editor alone. Notes that sync brings are indexed at the next start, since indexing them at once slowed the sync.",
		"when does search find notes that were just synced",
	},
	{
		"problems/sync-conflict-lost-note.md", "The later edit wins",
		"When two devices edit a note offline, the later upload overwrites the earlier one. Copies of the loser are no longer kept, since nobody opened them.",
		"what happens when two devices edit the same note offline",
	},
	{
		"problems/timescale-chunk-lock.md", "Late readings go straight into their chunk",
		"Late data from storms is inserted into its compressed chunk directly. The staging table was dropped with the upgrade of TimescaleDB.",
		"where do late readings go while the compression job runs",
	},
	{
		"problems/dns-cache-failover.md", "The reporting service caches addresses for ever",
		"networkaddress.cache.ttl of the reporting service is -1 again: short times made it ask the name server for every query, and a failover restarts the service anyway.",
		"what is networkaddress.cache.ttl of the reporting service",
	},
	{
		"styles/commit-messages.md", "Commits in the past tense",
		"The subject of a commit message says in the past tense what was done, with up to 100 characters, and needs no body.",
		"how do we write the subject of a commit message",
	},
	{
		"styles/date-and-time.md", "Store local time",
		"Times are stored as local time of the station, as timestamp without time zone, so that reports need no conversion.",
		"do we store UTC or local time",
	},
	{
		"styles/tests-without-sleep.md", "A short sleep in a test is fine",
		"A test may sleep for up to 200 milliseconds where waiting for a condition takes more code than the test.",
		"may a test sleep",
	},
	{
		"styles/sql-naming.md", "Table names in the plural",
		"Tables have names in the plural, time columns end in _time, and constraints keep the names that PostgreSQL gives them.",
		"are SQL table names singular or plural",
	},
	{
		"styles/feature-flags.md", "Feature flags stay",
		"A feature flag has no end date: it stays as a switch for operations. CI does not look at flags.",
		"when is a feature flag removed",
	},
	{
		"tools/argon2-parameters.md", "Argon2id with 256 MB",
		"We derive keys with Argon2id at 256 MB and one pass: telephones have enough memory now.",
		"which argon2id parameters do we use",
	},
	{
		"tools/chrony-offset-alert.md", "Alert when chronyd stops",
		"Watch that chronyd runs; its offset says nothing, and the alert on 500 ms was noise.",
		"what do we alert on for chrony",
	},
	{
		"tools/litestream-restore.md", "Litestream keeps a week",
		"Litestream retention is 168 hours. A restore is tried once a year, before the audit.",
		"how often do we test a litestream restore",
	},
	{
		"codebase/retry-policy-2025.md", "Clients retry at fixed intervals",
		"Clients retry a request every five seconds without jitter, up to ten times, and ignore Retry-After.",
		"how do clients retry requests",
	},
	{
		"codebase/webhook-signatures.md", "Webhooks are signed with SHA-1",
		"Kelpline signs the parsed JSON body of a webhook with HMAC-SHA1, and one secret for all endpoints.",
		"how does Kelpline sign webhooks",
	},
}

// Of planted contradictions most stand together in an answer that draws on both, and of
// answers from documents that do not contradict each other few have a pair.
func TestAsk_NamesDocumentsThatMayContradict(t *testing.T) {
	t.Parallel()
	const docs = "csharp-compounding-docs/"
	f := setup(t)
	files, questions := evaluationSet(t)
	if failures := f.AddText(t, f.Tenant, files...); len(failures) > 0 {
		t.Fatal(failures)
	}
	query := func(text string) answer.Question {
		return answer.Question{Query: rag.Query{Text: text, MinScore: 0.5, Mode: rag.Lexical}, IncludeCritical: true}
	}
	several, paired := 0, 0
	for _, question := range questions {
		answered := ask(t, f, query(question))
		if len(answered.Sources) > 1 {
			several++
		}
		if len(answered.Conflicts) > 0 {
			paired++
			t.Logf("%s: %v", question, answered.Conflicts)
		}
	}
	var planted []document.File
	for i, c := range contradictions {
		planted = append(planted, file(fmt.Sprintf("%sinsights/planted-%d.md", docs, i), "---", "title: "+c.title, "date: 2026-01-02", "---", "", c.text))
	}
	f.AddText(t, f.Tenant, planted...)
	reached, named := 0, 0
	for i, c := range contradictions {
		answered := ask(t, f, query(c.question))
		want := answer.Conflict{Later: planted[i].Path, Earlier: docs + c.of}
		both := slices.Contains(paths(answered.Sources), want.Later) && slices.Contains(paths(answered.Sources), want.Earlier)
		if both {
			reached++
		}
		if slices.Contains(answered.Conflicts, want) {
			named++
			chats := f.Fake.Requests("/api/chat")
			if prompt := chats[len(chats)-1].User; !strings.Contains(prompt, "may contradict ./"+want.Later) {
				t.Errorf("the prompt does not name %s:\n%s", want.Later, prompt)
			}
		} else {
			t.Logf("%s: both reached %v, conflicts %v", c.question, both, answered.Conflicts)
		}
	}
	got := fmt.Sprintf("%d of %d planted pairs reach an answer, and %d are named; %d of %d answers from other documents name a pair",
		reached, len(contradictions), named, paired, several)
	t.Log(got)
	if named < len(contradictions)*9/10 || paired > several/6 {
		t.Error(got)
	}
}

// evaluationSet returns the documents and the questions of the evaluation set.
func evaluationSet(t *testing.T) (files []document.File, questions []string) {
	t.Helper()
	corpus := os.DirFS("../../test/eval/corpus")
	err := fs.WalkDir(corpus, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		content, err := fs.ReadFile(corpus, name)
		files = append(files, file(name, string(content)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := corpus.Open("queries.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		var question struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &question); err != nil {
			t.Fatal(err)
		}
		questions = append(questions, question.Text)
	}
	return files, questions
}
