package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/testenv"
)

// measured has the fields of a report that the tests check.
type measured struct {
	Measures []struct {
		Name  string  `json:"name"`
		Value float64 `json:"value"`
	} `json:"measures"`
	Queries []struct {
		ID      string   `json:"id"`
		Ranking []string `json:"ranking"`
	} `json:"queries"`
}

// The model and the questions are the same on every machine, so that a change of
// the means is one of the program. Words and vectors together find more than either.
func TestEval_OwnSetKeepsItsBaseline(t *testing.T) {
	t.Parallel()
	corpus, err := filepath.Abs("../../test/eval/corpus")
	if err != nil {
		t.Fatal(err)
	}
	environment := []string{"CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST=" + testenv.OllamaHost(t)}
	means := map[string]float64{}
	for _, mode := range []string{"vector", "lexical", "hybrid"} {
		o := run(t, filepath.Dir(corpus), environment,
			"eval", "--corpus", corpus, "--mode", mode, "--baseline", "baseline/"+mode+".json", "--json")
		if o.code != 0 {
			t.Errorf("eval --mode %s ends with %d: %s", mode, o.code, o.stderr)
			continue
		}
		var report measured
		if err := json.Unmarshal([]byte(o.stdout), &report); err != nil {
			t.Fatal(err)
		}
		means[mode] = report.Measures[0].Value
	}
	t.Logf("nDCG@10: %v", means)
	if better := max(means["vector"], means["lexical"]); means["hybrid"] < better-.01 {
		t.Errorf("nDCG@10 of hybrid is %.3f, below %.3f of the better of the others", means["hybrid"], better)
	}
}

// beir makes dir a collection of three documents with two judged questions, and one of
// another part of the collection, and returns dir.
func beir(t *testing.T, dir string) string {
	t.Helper()
	write(t, dir, "corpus.jsonl", `{"_id":"a/1","title":"Pools","text":"The connection pool is exhausted."}
{"_id":"b 2","title":"","text":"Umlauts on printed labels."}
{"_id":"c","title":"Bread","text":"Flour, water and salt."}
`)
	write(t, dir, "queries.jsonl", `{"_id":"q1","text":"connection pool"}
{"_id":"q2","text":"umlauts on labels"}
{"_id":"train","text":"salt"}
`)
	write(t, dir, "qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\ta/1\t1\nq2\tb 2\t1\n")
	return dir
}

func TestEval_BEIRCollection(t *testing.T) {
	t.Parallel()
	environment, fake := services(t)
	dir := beir(t, t.TempDir())
	first := mustRun(t, dir, environment, "eval", "--corpus", ".", "--json")
	var report measured
	if err := json.Unmarshal([]byte(first.stdout), &report); err != nil {
		t.Fatal(err)
	}
	best := map[string]string{}
	for _, query := range report.Queries {
		best[query.ID] = query.Ranking[0]
	}
	if diff := cmp.Diff(map[string]string{"q1": "a/1", "q2": "b 2"}, best); diff != "" {
		t.Errorf("first documents (-want +got):\n%s", diff)
	}
	if m := report.Measures[0]; m.Name != "nDCG@10" || m.Value != 1 {
		t.Errorf("got %+v, want an nDCG@10 of 1", m)
	}

	// The second run finds the index, and differs from the first as little as it
	// should.
	write(t, dir, "first.json", first.stdout)
	fake.Forget()
	again := mustRun(t, dir, environment, "eval", "--corpus", ".", "--compare", "first.json", "--baseline", "first.json")
	if !strings.Contains(again.stdout, "over 2 questions of both runs; it changed for 0.") {
		t.Errorf("the comparison prints:\n%s", again.stdout)
	}
	for _, text := range fake.Texts() {
		if strings.Contains(text, "exhausted") {
			t.Errorf("embedded %q again", text)
		}
	}
}

func TestEval_FailsBelowTheBaseline(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	dir := beir(t, t.TempDir())
	report := mustRun(t, dir, environment, "eval", "--corpus", ".", "--json").stdout
	write(t, dir, "baseline.json", report)
	// Judged otherwise, the same rankings are worse.
	write(t, dir, "qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\tb 2\t1\nq2\ta/1\t1\n")
	o := run(t, dir, environment, "eval", "--corpus", ".", "--baseline", "baseline.json", "--compare", "baseline.json")
	if o.code != 1 || !strings.Contains(o.stderr, "MRR@10 has dropped from 1.000 to") {
		t.Errorf("it ends with %d and says %q", o.code, o.stderr)
	}
	if !strings.Contains(o.stdout, "it changed for 2.") || !strings.Contains(o.stdout, "q1 connection pool") {
		t.Errorf("the comparison prints:\n%s", o.stdout)
	}
}

func TestEval_SaysWhatIsWrongWithItsFlags(t *testing.T) {
	t.Parallel()
	dir := beir(t, t.TempDir())
	if err := os.WriteFile(filepath.Join(dir, "bad.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{nil, "--corpus is missing"},
		{[]string{"--corpus", ".", "--mode", "guess"}, `--mode is "guess"; give one of: hybrid, vector, lexical`},
		{[]string{"--corpus", ".", "--compare", "bad.json"}, "bad.json is not what `compound-docs eval --json` prints"},
		{[]string{"--corpus", "nowhere"}, "nowhere"},
	} {
		o := run(t, dir, away(), append([]string{"eval"}, test.arguments...)...)
		if o.code != 2 || !strings.Contains(o.stderr, test.want) {
			t.Errorf("%v ends with %d and says %q, want %q in it", test.arguments, o.code, o.stderr, test.want)
		}
	}
}
