package main_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/compound-docs/compound-docs/test/fakeollama"
	"github.com/compound-docs/compound-docs/test/indexstate"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// snapshot is every document of the branch main, see [indexstate.Documents].
func snapshot(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	documents, err := indexstate.Documents(t.Context(), pool, "main")
	must(t, err)
	return documents
}

// manyDocuments is a project whose sync takes a while, and more than one transaction. Many
// files have the same text, which is embedded once.
func manyDocuments() map[string]string {
	files := map[string]string{}
	for i := range 60 {
		var b strings.Builder
		fmt.Fprintf(&b, "# Document %d\n\nSee [the next](doc-%02d.md) and [another](doc-%02d.md).\n", i, (i+1)%60, (i+7)%60)
		for section := range 1 + i%7 {
			fmt.Fprintf(&b, "\n## Section %d\n\n%s", section, strings.Repeat(fmt.Sprintf("Words of section %d of %d.\n", section, i), 40))
		}
		files[fmt.Sprintf("docs/doc-%02d.md", i)] = b.String()
	}
	for i := range 300 {
		files[fmt.Sprintf("docs/same-%03d.md", i)] = "# The same\n\nMany files say this.\n"
	}
	files[".csharp-compounding-docs/config.json"] = `{"project_name": "test-project", "external_docs": {"path": "./docs"}}`
	return files
}

// A killed server leaves only whole documents, and the next one finishes. It embeds no stored
// passage again.
func TestServe_KilledDuringFirstSync(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "processes are killed at random moments")
	kills := 50
	if testing.Short() {
		kills = 15
	}
	f := newFirstSync(t, manyDocuments())
	c := &crashes{firstSync: f, whole: map[string]bool{}, random: rand.New(rand.NewPCG(testSeed(t), 7))}
	for _, line := range withoutVectors(f.freshSnapshot(t)) {
		c.whole[line] = true
	}
	f.fake.SetFaults(fakeollama.Faults{EmbedTime: 10 * time.Millisecond})
	for kill := range kills {
		// Every fifth kill meets an empty index, the others go on from the last.
		c.crash(t, kill%5 == 0)
	}
	t.Logf("of %d kills %d met the text half-way, %d the vectors; %d texts were embedded and lost", kills, c.inText, c.inVectors, c.lost)
	if c.inText == 0 || c.inVectors == 0 {
		t.Error("no kill met the text half-way, or none the vectors: the test shows nothing")
	}
	before := f.embedded(t)
	f.fake.Forget()
	f.syncWhole(t)
	c.mustNotRepeat(t, before)
	f.mustEqualFresh(t)
}

// mostLost is how many of some 300 texts a crash may lose: those of half a second.
const mostLost = 50

// crashes kills one server after the other.
type crashes struct {
	*firstSync

	whole  map[string]bool // every document, without its vectors
	random *rand.Rand
	// inText and inVectors are how many kills met either half-way, and lost how many
	// texts were embedded for nothing.
	inText, inVectors, lost int
}

// crash kills a server that indexes: from nothing, as soon as there is any document, or
// else at a moment in one of the first requests for vectors.
func (c *crashes) crash(t *testing.T, fromNothing bool) {
	t.Helper()
	if fromNothing {
		if _, err := c.pool.Exec(t.Context(), "TRUNCATE projects, passages CASCADE"); err != nil {
			t.Fatal(err)
		}
	}
	before := c.embedded(t)
	c.fake.Forget()
	command := server(t, c.environment()...)
	session := connect(t, command)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// The call fails when the server dies.
		_, _ = session.Text(t.Context(), "activate_project", activation(c.root))
	}()
	if fromNothing {
		until(t, "a document is there", patience, func() bool { return count(t, c.pool, "SELECT count(*) FROM documents") > 0 })
	} else {
		requests := 1 + c.random.IntN(3)
		until(t, "it embeds", patience, func() bool { return len(c.fake.Embeddings()) >= requests || c.complete(t) })
		time.Sleep(time.Duration(c.random.IntN(100)) * time.Millisecond) // the random moment
	}
	must(t, command.Process.Kill())
	<-ended
	_ = session.Close() // reports the kill
	c.gone(t, command.Process.Pid)
	c.check(t, before)
}

// complete reports whether every passage has a vector.
func (c *crashes) complete(t *testing.T) bool {
	t.Helper()
	return count(t, c.pool, "SELECT count(*) FROM documents") == len(c.whole) &&
		c.unembedded(t) == 0
}

// check looks at what a killed server has left. before are the texts that had a vector
// when it started.
func (c *crashes) check(t *testing.T, before map[string]bool) {
	t.Helper()
	lines := withoutVectors(snapshot(t, c.pool))
	for _, line := range lines {
		if !c.whole[line] {
			t.Fatalf("a document is not whole: %s", line)
		}
	}
	if len(lines) > 0 && len(lines) < len(c.whole) {
		c.inText++
	}
	c.mustNotRepeat(t, before)
	stored, batches := c.embedded(t), c.fake.Embeddings()
	if len(stored) > 0 && !c.complete(t) {
		c.inVectors++
	}
	// The last batch was being embedded. Those before it were being stored, or waited for that.
	lost := 0
	for i, batch := range batches {
		for _, text := range batch.Texts {
			switch {
			case !stored[text]:
				lost++
			case lost > 0:
				t.Errorf("batch %d of %d is stored, and one before it is lost", i+1, len(batches))
			}
		}
	}
	if c.lost += lost; lost > mostLost {
		t.Errorf("%d texts were embedded and lost, want at most %d", lost, mostLost)
	}
}

// mustNotRepeat compares what was embedded with what had a vector already.
func (c *crashes) mustNotRepeat(t *testing.T, stored map[string]bool) {
	t.Helper()
	seen := map[string]bool{}
	for _, text := range c.fake.Texts() {
		if stored[text] || seen[text] {
			t.Errorf("embedded again: %.60q", text)
		}
		seen[text] = true
	}
}

// syncWhole activates the project and waits until nothing is pending or without a
// vector.
func syncWhole(t *testing.T, root string, environment ...string) {
	t.Helper()
	w := &window{session: connect(t, server(t, environment...))}
	w.activate(t, root)
	must(t, w.session.Close())
}
