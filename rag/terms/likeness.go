package terms

// minCompared is the least number of words of a text that is compared: short ones are
// contained in others by chance.
const minCompared = 8

// Likeness returns how much of one of two texts the other repeats, in [0,1]: the part of the weight
// of its words that the other has. The words of each are distinct.
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
