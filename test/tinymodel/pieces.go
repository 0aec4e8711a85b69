package tinymodel

import "strings"

// Weights, as the lengths of token vectors, of what is not a word of the
// vocabulary. A rare word has about 7, a stop word nearly 0.
const (
	weightContinuation = 0.7 // of the word's own weight, for a word inside a longer one: "sessionlock"
	weightTrigram      = 2.5 // so that a few of them make up a rare word
	weightBigram       = 1.5
	weightDigits       = 1.0
	weightCharacter    = 0.5
	weightByte         = 0.5
	weightEnding       = 0.1
	weightMark         = 0.02 // punctuation, and the tokens around every text
)

// commonTrigram is the number of words of the vocabulary that a trigram is in,
// at least, to be a token.
const commonTrigram = 4

// endings are what is left of an inflected word after its stem. They carry no
// weight: "indexes" is "index".
var endings = strings.Fields(`s es ed ing d er ers or ors r rs ion ions ings ly able ment ments ness ity al ally ive`)

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

// wordPieces returns the tokens of an embedding model that knows a vocabulary.
// The tokeniser takes the longest token that a word starts with, then the
// longest one that the rest starts with, and so on.
func wordPieces(v vocabulary) []piece {
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
	for _, ending := range endings {
		l.add(ending, "##"+ending, weightEnding)
	}
	for _, word := range v.words {
		l.addWord(word, v)
	}
	l.addFragments(v.words)
	l.addCharacters()
	l.addBytes()
	return l.pieces
}

// addWord adds a word and its stem, from which the tokeniser builds the
// inflections that the vocabulary lacks. All of them have the same direction.
func (l *pieceList) addWord(word string, v vocabulary) {
	direction := stem(word)
	weight := v.inverseFrequency(direction)
	for _, text := range []string{word, strings.TrimSuffix(word, "e"), direction} {
		if len(text) >= 3 || text == word {
			l.add(wordStart+text, direction, weight)
		}
		if len(text) >= 4 {
			l.add(text, direction, weight*weightContinuation)
		}
	}
}

// addFragments adds what unknown words are made of: all pairs of letters, and
// the trigrams that are common in the words.
func (l *pieceList) addFragments(words []string) {
	count := map[string]int{}
	for _, word := range words {
		for i := range len(word) - 2 {
			count[word[i:i+3]]++
		}
	}
	const letters, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	for _, a := range letters {
		for _, b := range letters {
			pair := string(a) + string(b)
			for _, c := range letters {
				if trigram := pair + string(c); count[trigram] >= commonTrigram {
					l.addBoth(trigram, weightTrigram)
				}
			}
			l.addBoth(pair, weightBigram)
		}
	}
	for _, a := range digits {
		for _, b := range digits {
			l.addBoth(string(a)+string(b), weightDigits)
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
			l.addBoth(string([]byte{byte(b), byte(second)}), weightByte)
		}
	}
	for b := 0x80; b <= 0xF4; b++ {
		l.addBoth(string([]byte{byte(b)}), weightByte)
	}
}
