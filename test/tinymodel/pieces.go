package tinymodel

import "strings"

// Weights, as the lengths of token vectors. The words of a language are told from one
// another, and what else a text holds hardly counts.
const (
	weightWord         = 6.0
	weightContinuation = 4.0 // of a word inside a longer one: "sessionlock"
	weightPair         = 2.0 // of letters, which unknown words are made of
	weightFrequent     = 1.0
	weightCharacter    = 0.5
	weightMark         = 0.02 // punctuation, and the tokens around every text
)

// wordStart is how GGUF marks a token that begins a word.
const wordStart = "▁"

// piece is a token with the direction and length of its vector. Pieces of one
// direction have parallel vectors.
type piece struct {
	text      string // with wordStart if it begins a word
	direction string
	weight    float64
	kind      int32
}

// pieceList collects pieces; the first one of a text wins.
type pieceList struct {
	pieces []piece
	known  map[string]struct{}
}

func (l *pieceList) add(text, direction string, weight float64) {
	if _, ok := l.known[text]; ok {
		return
	}
	l.known[text] = struct{}{}
	l.pieces = append(l.pieces, piece{text: text, direction: direction, weight: weight, kind: tokenNormal})
}

// addBoth adds a text as the beginning of a word and as the continuation of
// one.
func (l *pieceList) addBoth(text string, weight float64) {
	l.add(wordStart+text, wordStart+text, weight)
	l.add(text, "##"+text, weight)
}

// wordPieces returns the tokens of the embedding model. The tokeniser takes the longest
// token that a word starts with, then the longest one that the rest starts with, and
// so on: it finds "index" in "indexes", and "migrat" in "migrations".
func wordPieces() []piece {
	l := &pieceList{known: map[string]struct{}{}}
	for _, special := range []struct {
		text   string
		weight float64
	}{{"[PAD]", 0}, {"[UNK]", weightCharacter}, {"[CLS]", weightMark}, {"[SEP]", weightMark}, {"[MASK]", weightMark}} {
		l.add(special.text, special.text, special.weight)
	}
	for i := range l.pieces {
		l.pieces[i].kind = tokenControl
	}
	for ending := range strings.FieldsSeq("s es ed ing er ers or ors ion ions ly able ment ments") {
		l.add(ending, "##"+ending, weightMark)
	}
	frequent, others := vocabulary()
	for _, word := range frequent {
		l.add(wordStart+word, word, weightFrequent)
	}
	for _, word := range others {
		l.addWord(word)
	}
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	for _, a := range letters {
		for _, b := range letters {
			l.addBoth(string(a)+string(b), weightPair)
		}
	}
	l.addCharacters()
	l.addBytes()
	return l.pieces
}

// addWord adds a word, which inflections have without an "e" at its end. Both have the
// same direction.
func (l *pieceList) addWord(word string) {
	direction := strings.TrimSuffix(word, "e")
	for _, text := range []string{word, direction} {
		if len(text) >= 3 || text == word {
			l.add(wordStart+text, direction, weightWord)
		}
		if len(text) >= 4 {
			l.add(text, direction, weightContinuation)
		}
	}
}

// addCharacters adds single characters: all that ASCII can print, and the
// letters and signs most often met in English texts about software. The
// tokeniser lowers case and drops accents before it looks anything up.
func (l *pieceList) addCharacters() {
	for _, r := range []struct {
		first, last rune
		weight      float64
	}{
		{'a', 'z', weightCharacter},
		{'0', '9', weightCharacter},
		{'!', '~', weightMark},
		{0xA1, 0xBF, weightMark},        // ¡ … ¿
		{0xD7, 0xFF, weightCharacter},   // ß, æ, ø, ÷
		{0x3B1, 0x3C9, weightCharacter}, // Greek
		{0x430, 0x45F, weightCharacter}, // Cyrillic
		{0x2010, 0x2026, weightMark},    // dashes, quotation marks, bullet, ellipsis
		{0x20AC, 0x20AC, weightCharacter},
		{0x2190, 0x21FF, weightMark},      // arrows
		{0x2260, 0x2265, weightMark},      // ≠ ≤ ≥
		{0x2500, 0x257F, weightMark},      // box drawing
		{0x3001, 0x3002, weightMark},      // 、。
		{0x3041, 0x30FF, weightCharacter}, // kana
	} {
		for c := r.first; c <= r.last; c++ {
			l.addBoth(string(c), r.weight)
		}
	}
}

// addBytes adds the bytes that characters beyond ASCII consist of, and the
// first two bytes of Chinese ones: with them no text has an unknown token.
func (l *pieceList) addBytes() {
	for b := 0xE3; b <= 0xE9; b++ {
		for second := 0x80; second <= 0xBF; second++ {
			l.addBoth(string([]byte{byte(b), byte(second)}), weightCharacter)
		}
	}
	for b := 0x80; b <= 0xF4; b++ {
		l.addBoth(string([]byte{byte(b)}), weightCharacter)
	}
}
