package project

// triples tell that a text does not hold a word without a search: a bit for each hash of three bytes that follow each
// other somewhere in the text. Most of the words that rules ask for are in few modules.
type triples [4096]byte

func triplesOf(text []byte) *triples {
	t := new(triples)
	for i := 2; i < len(text); i++ {
		at := tripleAt(text[i-2], text[i-1], text[i])
		t[at>>3] |= 1 << (at & 7)
	}
	return t
}

// mayHold reports false for a word that the text does not hold.
func (t *triples) mayHold(word string) bool {
	for i := 2; i < len(word); i++ {
		if at := tripleAt(word[i-2], word[i-1], word[i]); t[at>>3]&(1<<(at&7)) == 0 {
			return false
		}
	}
	return true
}

// tripleAt is a hash of 15 bits.
func tripleAt(a, b, c byte) uint32 {
	return (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 2654435761 >> 17
}
