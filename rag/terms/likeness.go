package terms

// minCompared is how many words each of two texts needs to be compared. The words of a
// short text are in others by chance.
const minCompared = 8

// Likeness returns how much two texts overlap, in [0,1]: the weight of their common words, as a share
// of the lighter text. The words of each text are distinct. For a short text it returns 0.
func Likeness[T comparable](one, other []T, weight func(T) float64) float64 {
	if min(len(one), len(other)) < minCompared {
		return 0
	}
	has := make(map[T]bool, len(one))
	var ofOne, ofOther, both float64
	for _, term := range one {
		has[term] = true
		ofOne += weight(term)
	}
	for _, term := range other {
		ofOther += weight(term)
		if has[term] {
			both += weight(term)
		}
	}
	return both / min(ofOne, ofOther)
}
