package main_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/golden"
	"github.com/compound-docs/compound-docs/test/testenv"
)

// measured has the fields of a report that the tests check.
type measured struct {
	Corpus    string `json:"corpus"`
	Documents int    `json:"documents"`
	Mode      string `json:"mode"`
	Measures  []struct {
		Name  string  `json:"name"`
		Value float64 `json:"value"`
	} `json:"measures"`
	Shares  []measuredShare `json:"shares"`
	Queries []measuredQuery `json:"queries,omitempty"`
}

type measuredQuery struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	NDCG10   float64  `json:"ndcg_10"`
	Recall10 float64  `json:"recall_10"`
	Right    bool     `json:"right"`
	Ranking  []string `json:"ranking"`
}

type measuredShare struct {
	Of        string  `json:"of"`
	Threshold float64 `json:"threshold"`
	Documents int     `json:"documents"`
	Projects  int     `json:"projects"`
	Kind      string  `json:"kind,omitempty"`
	Questions int     `json:"questions"`
	Value     float64 `json:"value"`
}

// The model and the questions are the same on every machine, so that a change of
// the means and shares is one of the program. Words and vectors together find more
// than either.
func TestEval_OwnSetKeepsItsBaseline(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "questions of whole collections are judged")
	folder, err := filepath.Abs("../../test/eval")
	if err != nil {
		t.Fatal(err)
	}
	environment := []string{"CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST=" + testenv.OllamaHost(t)}
	means := map[string]float64{}
	for _, mode := range []string{"vector", "lexical", "hybrid"} {
		baseline := filepath.Join(folder, "baseline", mode+".json")
		arguments := []string{
			"eval", "--corpus", "corpus", "--others", "everyday.jsonl", "--others", "other.jsonl", "--mode", mode, "--json",
		}
		if !golden.Update() {
			arguments = append(arguments, "--baseline", baseline)
		}
		o := run(t, folder, environment, arguments...)
		if o.code != 0 {
			t.Errorf("eval --mode %s ends with %d: %s", mode, o.code, o.stderr)
			continue
		}
		var report measured
		if err := json.Unmarshal([]byte(o.stdout), &report); err != nil {
			t.Fatal(err)
		}
		means[mode] = report.Measures[0].Value
		if golden.Update() {
			golden.Compare(t, baseline, report.baseline(t))
		}
	}
	t.Logf("nDCG@10: %v", means)
	if better := max(means["vector"], means["lexical"]); means["hybrid"] < better-.01 {
		t.Errorf("nDCG@10 of hybrid is %.3f, below %.3f of the better of the others", means["hybrid"], better)
	}
}

// What is named or pasted to the letter is found, and a file that a question mentions is
// not what it is about. Each question of the set has one answer.
func TestEval_LiteralSetKeepsItsFloors(t *testing.T) {
	t.Parallel()
	testenv.Slow(t, "questions of whole collections are judged")
	folder, err := filepath.Abs("../../test/eval")
	if err != nil {
		t.Fatal(err)
	}
	environment := []string{"CDOCS_DATABASE_URL=" + testenv.DatabaseURL(t), "CDOCS_OLLAMA_HOST=" + testenv.OllamaHost(t)}
	for _, mode := range []string{"lexical", "hybrid"} {
		o := mustRun(t, folder, environment, "eval", "--corpus", "literal", "--mode", mode, "--sizes", "0", "--json")
		var report measured
		if err := json.Unmarshal([]byte(o.stdout), &report); err != nil {
			t.Fatal(err)
		}
		asked, first, inTen, gain := map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
		for _, query := range report.Queries {
			asked[query.Kind]++
			inTen[query.Kind] += query.Recall10
			gain[query.Kind] += query.NDCG10
			if query.Right {
				first[query.Kind]++
			}
		}
		for _, floor := range []struct {
			kind   string
			found  map[string]float64
			atRank string
			least  float64
		}{
			{"identifier", first, "first", .97},
			{"identifier in a sentence", first, "first", .97},
			{"title", first, "first", .9},
			{"error line", inTen, "in ten", .95},
			{"trace", inTen, "in ten", .8},
			{"question", inTen, "in ten", .6},
		} {
			if got := floor.found[floor.kind] / asked[floor.kind]; !(got >= floor.least) {
				t.Errorf("mode %s: %s is %s in %.3f of %.0f, want %.2f", mode, floor.kind, floor.atRank, got, asked[floor.kind], floor.least)
			}
		}
		if left := gain["question with a mention"] / gain["question"]; !(left >= .8) {
			t.Errorf("mode %s: a mention leaves %.3f of nDCG@10, want .8", mode, left)
		}
	}
}

// baseline is what a later run is compared with: the means, and the shares that are of
// many questions.
func (m measured) baseline(t *testing.T) string {
	t.Helper()
	round := func(value float64) float64 { return math.Round(value*1e4) / 1e4 }
	m.Measures, m.Queries = m.Measures[:4], nil // without milliseconds and tokens
	for i := range m.Measures {
		m.Measures[i].Value = round(m.Measures[i].Value)
	}
	m.Shares = slices.DeleteFunc(m.Shares, func(s measuredShare) bool { return s.Questions < 75 })
	for i := range m.Shares {
		m.Shares[i].Value = round(m.Shares[i].Value)
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
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

// Three documents make three projects of one, and each question is asked of one of them.
func TestEval_TellsWhatAThresholdDoes(t *testing.T) {
	t.Parallel()
	environment, _ := services(t)
	dir := beir(t, t.TempDir())
	write(t, dir, "other/queries.jsonl", `{"_id":"q1","text":"bread, pools or labels"}
{"_id":"q2","text":"sundial","kind":"everyday"}
`)
	arguments := []string{
		"eval", "--corpus", ".", "--others", "other/queries.jsonl", "--sizes", "1,3", "--thresholds", "0.01,1", "--mode", "lexical",
	}
	var report measured
	if err := json.Unmarshal([]byte(mustRun(t, dir, environment, append(arguments, "--json")...).stdout), &report); err != nil {
		t.Fatal(err)
	}
	at := func(threshold float64, documents, projects int, value float64) []measuredShare {
		return []measuredShare{
			{"kept", threshold, documents, projects, "", 2, value},
			{"shown", threshold, documents, projects, "", 2, value / 2},
			{"shown", threshold, documents, projects, "everyday", 1, 0},
			{"shown", threshold, documents, projects, "other", 1, value},
		}
	}
	want := slices.Concat(at(.01, 3, 1, 1), at(1, 3, 1, 0), at(.01, 1, 3, 1), at(1, 1, 3, 0))
	if diff := cmp.Diff(want, report.Shares); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
	table := mustRun(t, dir, environment, arguments...).stdout
	for _, want := range []string{
		"right first, kept at 0.01  3 × 1 document ", "1 × 3 documents\n", "\nno answer, shown at 1", "\neveryday ",
		"1.000 (1.000 to 1.000) of 2\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is missing in the table:\n%s", want, table)
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
	if !strings.Contains(o.stderr, "baseline has \"right first, kept at 0.5\" of 3 documents, this run has not") {
		t.Errorf("it says %q", o.stderr)
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
		{[]string{"--corpus", ".", "--others", "corpus.jsonl", "--others", "bad.json"}, "bad.json:1: want a JSON object"},
	} {
		o := run(t, dir, away(), append([]string{"eval"}, test.arguments...)...)
		if o.code != 2 || !strings.Contains(o.stderr, test.want) {
			t.Errorf("%v ends with %d and says %q, want %q in it", test.arguments, o.code, o.stderr, test.want)
		}
	}
}
