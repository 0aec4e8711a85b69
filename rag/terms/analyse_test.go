package terms

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/compound-docs/compound-docs/test/workbound"
)

func termsOf(text string) []string {
	found := []string{}
	analyse(English, text, func(o occurrence) { found = append(found, o.term) })
	return found
}

func TestAnalyse_Terms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"stems without stop words", "The pools were exhausted by connections.", "pool exhaust connect"},
		{"contractions and possessives", "don't the user's it's", "user"},
		{"typographic apostrophe", "isn’t l’avion", "avion"},
		{"snake case", "max_conns", "max_conns max conn"},
		{"camel case", "ErrNoRows HTTPServer2", "errnorow err row httpserver2 http server"},
		{"plural of capitals", "URLs", "url"},
		{"capitals", "TIMEOUT", "timeout"},
		{"in lower case as well", "errnorows", "errnorow"},
		{"qualified name", "pgx.ErrNoRows", "pgx.errnorows pgx errnorow err row"},
		{"flags", "--no-verify (-race)", "--no-verify verifi -race race"},
		{"no flags", "a - b 2-3 word--pool", "b 2-3 word pool"},
		{"single letters alone", "k é 5 я", "k e 5 я"},
		{"path", "path/to/file.go", "path/to/file.go path file.go file go"},
		{"versions", "1.26.8 go1.26.8", "1.26.8 1.26 go1.26.8 go 1.26.8 1.26"},
		{"pre-release", "v0.5.0-rc1", "v0.5.0-rc1 v0.5.0 0.5.0 0.5 rc1 rc"},
		{"error codes", "42P01 E1234 ENOENT", "42p01 e1234 1234 enoent"},
		{"languages with signs", "C++ and C#", "c++ c c# c"},
		{"hyphens of plain words", "boundary-layer state-of-the-art", "boundari layer state art"},
		{"host and port", "127.0.0.1:5432", "127.0.0.1:5432 127.0.0.1 127.0 5432"},
		{"namespace", "foo::Bar", "foo::bar foo bar"},
		{"dunder", "__init__", "__init__ init"},
		{"in markup", "`max_conns`, **ErrNoRows**", "max_conns max conn errnorow err row"},
		{"accents", "café naïve CAFÉ résumé cafe\u0301", "cafe naiv cafe resum cafe"},
		{"compatibility forms", "ＡＢＣ ﬁle", "abc file"},
		{"soft hyphen", "con\u00adnection", "connect"},
		{"Turkish and German", "STRASSE İstanbul straße", "strass istanbul strass"},
		{"Cyrillic", "Ёлка йод соединение", "елка йод соединение"},
		{"Greek", "Σύνδεσης", "συνδεσησ"},
		{"Arabic", "العربيّة قاعدة", "العربية قاعدة"},
		{"Hebrew", "שָׁלוֹם", "שלום"},
		{"Hindi keeps its vowels", "हिन्दी", "हिन्दी"},
		{"Chinese", "数据库连接", "数据 据库 库连 连接"},
		{"one character", "水", "水"},
		{"Japanese", "データベース接続", "デー ータ タベ ベー ース ス接 接続"},
		{"Korean", "데이터베이스", "데이 이터 터베 베이 이스"},
		{"Thai", "ฐานข้อมูล", "ฐา าน นข้ ข้อ อมู มูล"},
		{"mixed scripts", "使用Docker部署 API를", "使用 docker 部署 api 를"},
		{"nothing", " \t\n…—!?", ""},
	} {
		if diff := cmp.Diff(strings.Fields(test.want), termsOf(test.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// alphabet has what the rules look at: each kind of letter, of punctuation and
// of mark.
var alphabet = []rune("abzAZéßıЖйσΣ01289___---...///:::\\@#++,;'’`\"() \n\t数据デーแล้한글\u0301\u00ad\u200d\u0640İﬁ²")

func randomText(random *rand.Rand, length int) string {
	runes := make([]rune, random.IntN(length))
	for i := range runes {
		runes[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(runes)
}

func TestAnalyse_HasTheTermsOfEachIdentifier(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var names []string
		for range 1 + random.IntN(5) {
			var name []string
			for range 1 + random.IntN(4) {
				name = append(name, []string{"max", "Conns", "HTTP", "errNoRows", "v2", "1.26", "größe"}[random.IntN(7)])
			}
			names = append(names, strings.Join(name, []string{"_", ".", "/", "::", "-"}[random.IntN(5)]))
		}
		all := termsOf("the (" + strings.Join(names, "), `") + "` of it")
		for _, name := range names {
			for _, term := range termsOf(name) {
				if !slices.Contains(all, term) {
					t.Fatalf("the text of %q lacks the term %q of %q", names, term, name)
				}
			}
		}
	}
}

// memoryPerByte is how many bytes of memory the analysis may take for each byte of text. It is
// about twice the need of identifiers of two letters, one of them with an accent.
const memoryPerByte = 4000

func FuzzAnalyse(f *testing.F) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		f.Add(randomText(random, 60), randomText(random, 20), uint16(0))
	}
	f.Add("--\xff-a\xc3.b\u0301/\u200d", "\u0301-a", uint16(0))
	for _, text := range []string{"aB", "a.", "a/", "é", "数", "x\u0301", "--a ", "`a b` ", "\u200d", "é1 "} {
		f.Add(text, "", uint16(5000))
	}
	f.Fuzz(func(t *testing.T, text, other string, times uint16) {
		text = strings.Repeat(text, 1+min(int(times), 32<<10/max(len(text), 1)))
		checkAnalysis(t, text)
		languages := slices.Sorted(maps.Keys(stemmers))
		language := languages[len(text)%len(languages)]
		analyse(language, text, func(o occurrence) {
			if o.term == "" || o.start < 0 || o.start >= o.end || o.end > len(text) {
				t.Fatalf("%s: %q is at [%d,%d) of %d bytes", language, o.term, o.start, o.end, len(text))
			}
		})
		if once := fold(text); fold(once) != once {
			t.Fatalf("%q folds to %q and then to %q", text, once, fold(once))
		}
		text, other = strings.ToValidUTF8(text, "\ufffd"), strings.ToValidUTF8(other, "\ufffd")
		// A line's terms are the same whatever stands on the lines above and below.
		want := slices.Concat(termsOf(other), termsOf(text), termsOf(other))
		if got := termsOf(other + "\n" + text + "\n" + other); !slices.Equal(want, got) {
			t.Errorf("with lines %.100q around it, %.100q has the terms %.300q, want %.300q", other, text, got, want)
		}
		var hashes []int32
		var query Query
		workbound.Check(t, len(text), memoryPerByte, func() {
			hashes, _ = Document(7, English, text, text)
			query = NewQuery(7, text)
			query.Weigh(1, func(int32) int { return 0 }).Literal("", text)
			query.Snippet(text, 50)
		})
		checkQuery(t, query, hashes, text)
	})
}

// checkAnalysis holds the terms of a text to their places and bounds.
func checkAnalysis(t *testing.T, text string) {
	t.Helper()
	count := 0
	analyse(English, text, func(o occurrence) {
		count++
		if o.term == "" || len(o.term) > 4*maxCompoundBytes {
			t.Fatalf("term of %d bytes", len(o.term))
		}
		if o.start < 0 || o.start >= o.end || o.end > len(text) {
			t.Fatalf("%q is at [%d,%d) of %d bytes", o.term, o.start, o.end, len(text))
		}
	})
	if most := 8 * (len(text) + 1); count > most {
		t.Fatalf("%d terms of %d bytes", count, len(text))
	}
	hashes, weights := Document(7, English, text, text)
	if len(hashes) != len(weights) || len(hashes) > maxTerms || !slices.IsSorted(hashes) || len(slices.Compact(slices.Clone(hashes))) != len(hashes) {
		t.Fatalf("%d hashes and %d weights, sorted and distinct: %v", len(hashes), len(weights), hashes)
	}
}

// checkQuery holds a query to what the document of the same text has, and its snippet of
// that document to its length.
func checkQuery(t *testing.T, query Query, document []int32, text string) {
	t.Helper()
	for _, term := range query.Terms {
		if _, found := slices.BinarySearch(document, term.Hash); !found && len(document) < maxTerms {
			t.Fatalf("the document lacks a term of the same query")
		}
	}
	if phrase, _ := query.Weigh(1, func(int32) int { return 0 }).Literal("", text); phrase < 0 || phrase > 1+1e-6 {
		t.Fatalf("phrase %v", phrase)
	}
	for _, limit := range []int{0, 3, 50} {
		if snippet := query.Snippet(text, limit); utf8.RuneCountInString(snippet) > limit || !utf8.ValidString(snippet) {
			t.Fatalf("snippet %q of at most %d characters", snippet, limit)
		}
	}
}
