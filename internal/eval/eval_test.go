package eval_test

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/internal/eval"
)

func TestRead_TakesBothPlacesOfJudgements(t *testing.T) {
	t.Parallel()
	want := &eval.Collection{
		Documents: []eval.Document{{ID: "d1", Title: "One", Text: "first"}, {ID: "d2", Text: "second"}},
		Queries:   []eval.Query{{ID: "q1", Text: "what"}, {ID: "q2", Text: "why"}},
		Judged:    map[string]eval.Judgements{"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}},
	}
	for _, qrels := range []string{"qrels.tsv", "qrels/test.tsv"} {
		dir := write(t, nil, qrels)
		got, err := eval.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", qrels, diff)
		}
	}
}

func TestRead_NamesTheLineThatIsWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ file, content, want string }{
		{"corpus.jsonl", "{\"_id\":\"d1\"}\n{\"_id\":\"d1\"}\n", "corpus.jsonl:2: the _id \"d1\" occurs twice"},
		{"corpus.jsonl", "\nnothing\n", "corpus.jsonl:2: want a JSON object"},
		{"queries.jsonl", "{\"text\":\"why\"}\n", "queries.jsonl:1: want an _id"},
		{"qrels.tsv", "head\nq1\td1\n", "qrels.tsv:2: want three columns with tabs between them, got 2"},
		{"qrels.tsv", "head\nq1\td1\tgood\n", "qrels.tsv:2: want a whole number"},
		{"qrels.tsv", "head\nq9\td1\t1\n", "qrels.tsv:2: the query \"q9\" is not in queries.jsonl"},
		{"qrels.tsv", "head\nq1\td9\t1\n", "qrels.tsv:2: the document \"d9\" is not in the corpus"},
	} {
		dir := write(t, map[string]string{test.file: test.content}, "qrels.tsv")
		if _, err := eval.Read(dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got error %v, want %q in it", err, test.want)
		}
	}
	if _, err := eval.Read(t.TempDir()); !os.IsNotExist(err) {
		t.Errorf("got error %v for an empty folder, want that the file does not exist", err)
	}
}

func TestReadOthers_NamesTheKind(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cooking")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]string{"queries.jsonl": "cooking", "weather.jsonl": "weather"} {
		path := filepath.Join(dir, name)
		content := "{\"_id\":\"q1\",\"text\":\"salt?\"}\n{\"_id\":\"q2\",\"text\":\"hi\",\"kind\":\"everyday\"}\n"
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := eval.ReadOthers(path)
		if err != nil {
			t.Fatal(err)
		}
		want := []eval.Query{
			{ID: kind + ":q1", Text: "salt?", Kind: kind}, {ID: kind + ":q2", Text: "hi", Kind: "everyday"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// write makes a small collection, some of its files replaced.
func write(t *testing.T, replaced map[string]string, qrels string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"corpus.jsonl":  "{\"_id\":\"d1\",\"title\":\"One\",\"text\":\"first\"}\n\n{\"_id\":\"d2\",\"text\":\"second\"}\n",
		"queries.jsonl": "{\"_id\":\"q1\",\"text\":\"what\"}\n{\"_id\":\"q2\",\"text\":\"why\",\"metadata\":{}}\n",
		qrels:           "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\r\nq2\td2\t1\n",
	}
	maps.Copy(files, replaced)
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The values are computed by hand: log2(2) = 1, log2(3) = 1.58496, log2(4) = 2,
// log2(5) = 2.32193.
func TestMeasures_AgainstHandComputedValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name               string
		ranking            []string
		judged             eval.Judgements
		k                  int
		ndcg, recall, rank float64
	}{
		{"perfect", []string{"a", "b"}, eval.Judgements{"a": 1, "b": 1}, 10, 1, 1, 1},
		{"second and fourth", []string{"x", "a", "y", "b"}, eval.Judgements{"a": 1, "b": 1}, 10, 1.061607 / 1.630930, 1, .5},
		{"graded", []string{"a", "b", "c"}, eval.Judgements{"a": 1, "b": 3, "c": 2}, 10, 3.892789 / 4.761860, 1, 1},
		{"cut at two", []string{"x", "a", "b"}, eval.Judgements{"a": 1, "b": 1, "c": 1}, 2, .630930 / 1.630930, 1. / 3, .5},
		{"behind the cut", []string{"x", "y", "a"}, eval.Judgements{"a": 1}, 2, 0, 0, 0},
		{"more relevant than places", []string{"a"}, eval.Judgements{"a": 1, "b": 1}, 1, 1, .5, 1},
		{"an id that returns", []string{"a", "a", "b"}, eval.Judgements{"a": 1, "b": 1}, 2, 1, 1, 1},
		{"grades that are not positive", []string{"a", "b"}, eval.Judgements{"a": -1, "b": 1, "c": 0}, 10, .630930, 1, .5},
		{"nothing relevant", []string{"a"}, eval.Judgements{"a": 0}, 10, 0, 0, 0},
		{"nothing found", nil, eval.Judgements{"a": 1}, 10, 0, 0, 0},
	} {
		check := func(measure string, got, want float64) {
			if math.Abs(got-want) > 1e-5 {
				t.Errorf("%s: %s is %.6f, want %.6f", test.name, measure, got, want)
			}
		}
		check("nDCG", eval.NDCG(test.ranking, test.judged, test.k), test.ndcg)
		check("recall", eval.Recall(test.ranking, test.judged, test.k), test.recall)
		check("reciprocal rank", eval.ReciprocalRank(test.ranking, test.judged, test.k), test.rank)
	}
}

// The mean of n values of a fair coin has a standard error of ½/√n, and 95 % of
// samples lie within 1.96 of it.
func TestBootstrap_GivesTheIntervalOfTheMean(t *testing.T) {
	t.Parallel()
	values := make([]float64, 400)
	for i := range values {
		values[i] = float64(i % 2)
	}
	got := eval.Bootstrap(values)
	if got.Value != .5 || math.Abs(got.Low-.451) > .006 || math.Abs(got.High-.549) > .006 {
		t.Errorf("got %+v, want .5 within .451 and .549", got)
	}
	if again := eval.Bootstrap(values); again != got {
		t.Errorf("got %+v, then %+v of the same values", got, again)
	}
	values[1] = 1e6
	if got := eval.BootstrapMedian(slices.Concat(values, []float64{.75})); got.Value != .75 || got.Low != 0 || got.High != 1 {
		t.Errorf("got %+v for the median, want .75 within 0 and 1", got)
	}
	if constant := eval.Bootstrap([]float64{.25, .25}); constant != (eval.Estimate{Value: .25, Low: .25, High: .25}) {
		t.Errorf("got %+v of equal values", constant)
	}
	if none := eval.Bootstrap(nil); none != (eval.Estimate{}) {
		t.Errorf("got %+v of no values", none)
	}
}
