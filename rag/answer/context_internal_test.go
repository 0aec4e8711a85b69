package answer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/rag"
)

// randomText returns about so many characters: words, code, white space, or characters
// that are a token each.
func randomText(random *rand.Rand, characters int) string {
	pieces := []string{"word ", "pool.Acquire(ctx)", "\n\n\n", "        ", "数据库连接", "🎉", "x", "</document>", "größe "}
	var b strings.Builder
	kind := pieces[random.IntN(len(pieces))]
	for b.Len() < characters {
		if random.IntN(20) == 0 {
			kind = pieces[random.IntN(len(pieces))]
		}
		b.WriteString(kind)
	}
	return b.String()
}

func randomSource(random *rand.Rand, id int) source {
	s := source{
		Hit: rag.Hit{
			ID: int64(id), Path: randomText(random, random.IntN(1+random.IntN(4000))),
			Title: randomText(random, random.IntN(1+random.IntN(4000))), Score: random.Float64(),
		},
		note: "relevant to the question",
	}
	for i := range random.IntN(12) {
		s.passages = append(s.passages, rag.Hit{
			StartLine: 10 * i, EndLine: 10*i + 9, LogOdds: random.NormFloat64(),
			Content: randomText(random, random.IntN(2000)), HeaderPath: randomText(random, random.IntN(1+random.IntN(2000))),
		})
	}
	return s
}

// A table of contents has the words of every question, and answers none.
// A path outside the repository is absolute, and stays so.
func TestSource_LabelsPathsOutside(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"docs/a.md": `path="./docs/a.md" `, "/notes/a.md": `path="/notes/a.md" `} {
		var s source
		s.Path = path
		if got := s.labels(); !strings.HasPrefix(got, want) {
			t.Errorf("%s is labelled %s", path, got)
		}
	}
}

func TestSource_PrefersTextToListings(t *testing.T) {
	t.Parallel()
	s := source{passages: []rag.Hit{
		{Content: "- [How to deploy](#deploy)\n- [How to roll back](#back)", LogOdds: .9}, {}, {}, {Content: "Roll back with the last tag.", LogOdds: .2},
	}}
	if got := s.preference(); !slices.Equal(got, []int{3, 0}) {
		t.Errorf("the passages come in the order %v, want 3 and 0", got)
	}
}

// With any sources and any room the prompt fits and the sources keep their order. Sources without
// room are dropped from the end, but never the most relevant one. If there is any room, something
// is quoted.
func TestFit_KeepsOrderAndRoom(t *testing.T) {
	t.Parallel()
	const enough = 1000 // tokens for the labels of any document and a quotation
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for round := range 150 {
		sources := make([]source, 1+random.IntN(140))
		for i := range sources {
			sources[i] = randomSource(random, i)
		}
		room := random.IntN(1 + random.IntN(20_000))
		d := newDelimiter()
		quotes := fit(sources, d, room)
		ids := []int{}
		for _, q := range quotes {
			ids = append(ids, int(q.source.ID))
		}
		name := fmt.Sprintf("round %d, %d sources, room %d, quoted %v", round, len(sources), room, ids)
		used := promptTokens(d.prompt(quotes, "").User)
		if used > room+promptTokens("\nQuestion: ") {
			t.Errorf("%s: the prompt has %d tokens", name, used)
		}
		if !slices.IsSorted(ids) {
			t.Errorf("%s: not in order", name)
		}
		quotable := slices.DeleteFunc(slices.Clone(sources), func(s source) bool { return !s.hasText() })
		checkDropped(t, name, quotable, ids)
		if room > enough && len(quotable) > 0 && len(quotes) == 0 {
			t.Errorf("%s: nothing is quoted", name)
		}
	}
}

// checkDropped fails unless the quoted documents are the first ones and the most
// relevant one.
func checkDropped(t *testing.T, name string, quotable []source, ids []int) {
	t.Helper()
	if len(ids) == 0 {
		return
	}
	top := slices.MaxFunc(quotable, func(a, b source) int { return int(1e9 * (a.Score - b.Score)) })
	if !slices.Contains(ids, int(top.ID)) {
		t.Errorf("%s: %d, the most relevant one, is missing", name, top.ID)
	}
	dropped := false
	for _, s := range quotable {
		quoted := slices.Contains(ids, int(s.ID))
		if quoted && dropped && s.ID != top.ID {
			t.Errorf("%s: %d is quoted after one that was dropped", name, s.ID)
		}
		dropped = dropped || !quoted
	}
}

// The remaining room goes to the sources in turn, not to the first alone.
func TestFit_SharesWhatIsLeft(t *testing.T) {
	t.Parallel()
	sources := make([]source, 3)
	for i := range sources {
		sources[i] = source{Hit: rag.Hit{ID: int64(i), Path: "docs/a.md", Score: 1}}
		for j := range 50 {
			sources[i].passages = append(sources[i].passages, rag.Hit{Content: strings.Repeat("word ", 100), LogOdds: -math.Log(float64(1 + j))})
		}
	}
	quotes := fit(sources, newDelimiter(), 3000)
	least, most := len(quotes[0].chosen), len(quotes[0].chosen)
	for _, q := range quotes {
		least, most = min(least, len(q.chosen)), max(most, len(q.chosen))
	}
	if len(quotes) != 3 || least < 2 || most-least > 1 {
		t.Errorf("%d documents with %d to %d passages, want 3 with as many each, give or take one", len(quotes), least, most)
	}
}

// Passages that follow each other are quoted as one, with the lines of both.
func TestPrompt_MergesNeighbours(t *testing.T) {
	t.Parallel()
	s := source{Hit: rag.Hit{ID: 1, Path: "docs/a.md"}}
	for i, relevance := range []float64{.1, .9, .8, .2, .7, .3} {
		s.passages = append(s.passages, rag.Hit{
			HeaderPath: fmt.Sprintf("# H%d", i), Content: fmt.Sprintf("Text %d.", i),
			StartLine: 10*i + 1, EndLine: 10*i + 9, LogOdds: relevance,
		})
	}
	d := newDelimiter()
	prompt := d.prompt([]quote{{source: s, chosen: []int{1, 2, 4}}}, "why").User
	want := "[… lines 11 to 29, # H1]\nText 1.\nText 2.\n[… lines 41 to 49, # H4]\nText 4.\n"
	if !strings.Contains(prompt, want) {
		t.Errorf("the prompt lacks %q:\n%s", want, prompt)
	}
	all := d.prompt([]quote{{source: s, chosen: []int{0, 1, 2, 3, 4, 5}}}, "why").User
	if strings.Contains(all, "[…") || !strings.Contains(all, "Text 0.\nText 1.\n") {
		t.Errorf("a whole document is not quoted as such:\n%s", all)
	}
}

// A token that ends as it begins is hidden whole. Characters that command a terminal do not pass.
func TestHidden_TokenEndsAsItBegins(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	h := delimiterFilter{delimiter: delimiter{token: "HB7SL25E37TH"}, onText: func(text string) { shown.WriteString(text) }}
	for _, piece := range []string{"See ", "HB7SL25E37TH", " and\n<b>\x1b[31m."} {
		h.write(piece)
	}
	h.end()
	if got, want := shown.String(), "See  and\n<b>\ufffd[31m."; got != want {
		t.Errorf("shown is %q, want %q", got, want)
	}
}
