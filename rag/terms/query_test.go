package terms

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(q Query) string {
	var list []string
	for _, identifier := range q.Identifiers {
		list = append(list, identifier.Name)
	}
	return strings.Join(list, " ")
}

func TestNewQuery_FindsIdentifiers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"why does pgx.ErrNoRows come from max_conns?", "pgx.errnorows max_conns"},
		{"what does ErrNoRows mean", "errnorows"},
		{"can I commit with --no-verify or -n", "--no-verify -n"},
		{"where is path/to/file.go", "path/to/file.go"},
		{"does go1.26.8 fix it, or 1.26.9.", "go1.26.8 1.26.9"},
		{"error 42P01, SQLSTATE 08006", "42p01 08006"},
		{"C++ or C#", "c++ c#"},
		{"foo::Bar calls __init__ at localhost:8080", "foo::bar __init__ localhost:8080"},
		{"how is max_conns MAX_CONNS set", "max_conns"},
		// Plain language has none.
		{"What did IBM and the user's high-speed client/server do in 1968, e.g. in state-of-the-art URLs?", ""},
	} {
		if diff := cmp.Diff(test.want, names(NewQuery(1, test.text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestQuery_Vague(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "commit": true, "update the dependencies": true, "is the page blank?": true,
		"why is the page blank after login": false, "ErrNoRows": false, "E4012": false, `"invalid grant"`: false,
	} {
		if got := NewQuery(1, text).Vague(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func manyWords(count int) string {
	var out strings.Builder
	for i := range count {
		for n := i + 26; n > 0; n /= 26 {
			out.WriteByte(byte('a' + n%26))
		}
		out.WriteString("k ")
	}
	return out.String()
}

// bm25 is the inner product that the database computes.
func bm25(w Weighted, terms []int32, weights []float32) float64 {
	sum := 0.0
	for i, term := range w.Terms {
		for j, other := range terms {
			if term == other {
				sum += float64(w.Weights[i]) * float64(weights[j])
			}
		}
	}
	return sum
}

func TestShare_IsAbsolute(t *testing.T) {
	t.Parallel()
	q := NewQuery(1, "connection pool exhausted")
	frequencies := map[int32]int{hashTerm(1, "connect"): 1500, hashTerm(1, "pool"): 10, hashTerm(1, "exhaust"): 5}
	w := q.Weigh(2000, func(term int32) int { return frequencies[term] })
	share := func(body string) float64 {
		terms, weights := Document(1, English, "", body)
		return w.Share(bm25(w, terms, weights))
	}
	filler := strings.Repeat("other words stand around here too ", 100)
	for _, test := range []struct {
		name, body string
		low, high  float64
	}{
		{"all terms in a short passage", "the connection pool is exhausted", .9, 1},
		{"all terms in a very long passage", filler + "the connection pool is exhausted", .66, .75},
		{"all terms, repeated", strings.Repeat("connection pool exhausted ", 50), .99, 1},
		{"the frequent one", "a connection", 0, .1},
		{"the frequent one, repeated", "connection connections connected connecting", 0, .1},
		{"none", "nothing of the kind", 0, 0},
		{"nothing", "", 0, 0},
	} {
		if got := share(test.body); got < test.low || got > test.high {
			t.Errorf("%s: share %.3f, want it in [%v,%v]", test.name, got, test.low, test.high)
		}
	}
}

func TestPhrase(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, query, heading, body string
		want                       float64
	}{
		{"a short query word by word", "undo the last commit", "", "To **undo the\nlast** commit, …", 1},
		{"in the heading", "undo the last commit", "Undo the last commit", "", 1},
		{"not in order", "undo the last commit", "", "commit the last undo", 0},
		{"with a word between", "undo the last commit", "", "undo the very last commit", 0},
		{"at the end of a longer word", "last commit", "", "the blast commits", 0},
		{"a long query", "how can I undo the last commit", "", "how can i undo the last commit", 0},
		{"an identifier in a sentence", "what sets max_conns in the pool of the server", "", "`MAX_CONNS` is 4", .393},
		{"only a part of another name", "what sets max_conns in the pool of the server", "", "pool_max_conns, max_conns2", 0},
		{"qualified in the passage", "when does the driver return ErrNoRows to us", "", "it is pgx.ErrNoRows.", .528},
		{"a flag", "why should nobody commit with --no-verify here", "", "with `--no-verify`", .384},
		{"not a flag", "why should nobody commit with --no-verify here", "", "there is no verify step; x--no-verify", 0},
		{"one of two", "does max_conns change what ErrNoRows means for us", "", "max_conns", .240},
		{"within Chinese", "请问如何在生产环境中正确设置max_conns参数才好呢", "", "使用max_conns设置", .056},
		{"in quotation marks", `where does it say "pool is exhausted" in the server's log`, "", "pool is\nexhausted", .412},
		{"in backticks", "what happens to the volumes after a full `prune` of it all", "", "Prune removes", .273},
		{"stop words alone", "what is it", "", "what is it", 0},
		{"accents", "Größe ändern", "", "die GRÖSSE ÄNDERN", 1},
	} {
		query := NewQuery(1, test.query).Weigh(100, func(int32) int { return 1 })
		if got, whole := query.Literal(test.heading, test.body); math.Abs(got-test.want) > .005 || whole != (test.want == 1) {
			t.Errorf("%s: got %.3f, whole %v, want %v", test.name, got, whole, test.want)
		}
	}
}

// The part belongs to the query's weight: a name that most passages have says little. A name that
// is also quoted counts once.
func TestLiteral_IsAPartOfTheWeight(t *testing.T) {
	t.Parallel()
	frequencies := map[int32]int{hashTerm(1, "readme.md"): 50, hashTerm(1, "readm"): 50, hashTerm(1, "md"): 50}
	weigh := func(text string) Weighted {
		return NewQuery(1, text).Weigh(1000, func(term int32) int { return frequencies[term] })
	}
	file := mentionPart * IDF(50, 1000)
	others := IDF(0, 1000) * (telling("read") + telling("already") + telling("printers") + telling("labels"))
	for _, test := range []struct {
		query, body string
		want        float64
	}{
		// The other terms are read, already, printer and label.
		{"I read `README.md` already: printers of these labels", "see README.md", file / (file + others)},
		{"I read README.md already: printers of these labels", "see README.md", file / (file + others)},
		{"I read README.md already: printers of these labels", "see README", 0},
	} {
		got, whole := weigh(test.query).Literal("", test.body)
		if math.Abs(got-test.want) > 1e-6 || whole {
			t.Errorf("%s: got %v, whole %v, want %v", test.query, got, whole, test.want)
		}
	}
}

// A line of a pasted text is looked for to the letter, however long it is.
func TestNewLine(t *testing.T) {
	t.Parallel()
	const line = `File "/srv/app/labels.py", line 12, in print: KeyError: 'umlaut'`
	weigh := func(q Query) Weighted { return q.Weigh(100, func(int32) int { return 1 }) }
	if _, whole := weigh(Vocabulary{project: 1}.Line(line)).Literal("", "It said:\n\n    "+line+"\n\nand ended."); !whole {
		t.Error("the whole line is not found")
	}
	if _, whole := weigh(NewQuery(1, line)).Literal("", line); whole {
		t.Error("the whole of a long query is found")
	}
	if _, whole := weigh(Vocabulary{project: 1}.Line(line)).Literal("", "KeyError: 'umlaut' in line 12"); whole {
		t.Error("a part of the line is found as the whole")
	}
}

// Names are those that are names by their form, unless there are many. Products and files do not count.
func TestNames(t *testing.T) {
	t.Parallel()
	const text = "CONTROL_PLANE_IPS ErrNoRows maxConns ORA-00942 GitHub README.md pkg/pool_test.go 30s v2 2026-11-28 macOS __init__"
	for query, want := range map[string][]string{
		"where is control_plane_ips set":                    {"control_plane_ips"},
		"does ErrNoRows or maxConns come with ORA-00942":    {"errnorows", "maxconns", "ora-00942"},
		"does GitHub run on macOS since 2026-11-28 for 30s": nil,
		"README.md, pkg/pool_test.go and v2":                nil,
		"aa_b cc_d ee_f CONTROL_PLANE_IPS":                  nil,
		"other_name":                                        nil,
	} {
		if diff := cmp.Diff(want, NewQuery(1, query).Weigh(100, func(int32) int { return 1 }).Names("", text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// Repeated terms count more, by 1 + ln n, and known is the part of the weight that the
// project's passages have.
func TestWeigh(t *testing.T) {
	t.Parallel()
	frequencies := map[int32]int{hashTerm(1, "pool"): 10}
	w := NewQuery(1, "pool of pools, dry pools").Weigh(100, func(term int32) int { return frequencies[term] })
	pool, dry := (1+math.Log(3))*IDF(10, 100)*telling("pool"), IDF(0, 100)*telling("dry")
	if diff := cmp.Diff([]float32{float32(pool), float32(dry)}, w.Weights); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
	if math.Abs(w.Sum-pool-dry) > 1e-5 || math.Abs(w.Known-pool/(pool+dry)) > 1e-5 {
		t.Errorf("sum %v and known part %v", w.Sum, w.Known)
	}
	if w := NewQuery(1, "what is it").Weigh(100, func(int32) int { return 0 }); w.Sum != 0 || w.Known != 0 {
		t.Errorf("a query without terms has sum %v and known part %v", w.Sum, w.Known)
	}
}

// telling is the part of its weight that a word has.
func telling(word string) float64 { return NewQuery(1, word).Terms[0].telling() }

// A word that people use whatever they write about says less than a rare one, except in a line that a program prints.
func TestTelling(t *testing.T) {
	t.Parallel()
	words := []string{"program", "pool", "server", "kubernetes"}
	var got []float64
	for _, word := range words {
		got = append(got, math.Round(telling(word)*100)/100)
	}
	if diff := cmp.Diff([]float64{.71, .89, 1, 1}, got); diff != "" {
		t.Errorf("what %q count (-want +got):\n%s", words, diff)
	}
	once := func(int32) int { return 1 }
	if w := (Vocabulary{project: 1}).Line("program").Weigh(100, once); math.Abs(w.Sum-IDF(1, 100)) > 1e-6 {
		t.Errorf("in a line that a program prints, a word weighs %v", w.Sum)
	}
}

func TestSequence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"Connection pool!", "the connection pool", false},
		{"Größe ändern", "ändern Größe", false},
		{"Größe ändern", "GRÖSSE  «ÄNDERN»", true},
		{"pods", "Pods", true},
		{"pods", "pod", false},
	} {
		if got := Sequence(test.a) == Sequence(test.b); got != test.want {
			t.Errorf("%q and %q have the same words: %v", test.a, test.b, got)
		}
	}
	if got := Sequence("… --"); got != "" {
		t.Errorf("no words have the sequence %q", got)
	}
}

// The more a query says beside an identifier, the less the identifier weighs, but as much as the rarest of its terms.
// A file, which a question may only mention, weighs less. The parts of a name that no passage has weigh half.
func TestWeigh_IdentifiersBesideWords(t *testing.T) {
	t.Parallel()
	frequency := func(term int32) int {
		switch term {
		case hashTerm(1, "helmfil"):
			return 50
		case hashTerm(1, "kustom_nosuch"):
			return 0
		}
		return 1
	}
	rare, common := IDF(1, 1000), IDF(50, 1000)
	for text, want := range map[string]float64{
		"helmfile/kustom.yaml":                  4*rare + common, // kustom.yaml, kustom and yaml too
		"helmfile/kustom.yaml " + manyWords(2):  2*rare + common,
		"helmfile/kustom.yaml " + manyWords(20): mentionPart * rare,
		"helmfile_kustom_yaml " + manyWords(20): rare,
		"kustom_nosuch":                         IDF(0, 1000) + unknownPart*2*rare,
	} {
		q := NewQuery(1, text)
		w, got := q.Weigh(1000, frequency), 0.0
		for i, term := range w.Terms {
			if slices.Contains(q.Identifiers[0].terms, term) {
				got += float64(w.Weights[i])
			}
		}
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("in %q the identifier weighs %.3f, want %.3f", text, got, want)
		}
	}
}

func TestWeigh_LeavesOutCommonIdentifiers(t *testing.T) {
	t.Parallel()
	frequencies := map[int32]int{hashTerm(1, "github"): 200, hashTerm(1, "max_conns"): 3}
	w := NewQuery(1, "does GitHub know max_conns").Weigh(2000, func(term int32) int { return frequencies[term] })
	if len(w.Identifiers) != 1 || w.Identifiers[0].Name != "max_conns" {
		t.Errorf("identifiers %+v, want max_conns alone", w.Identifiers)
	}
}
