package project

import "bytes"

// triples tell that a text does not hold a word without a search: a bit for each hash of three bytes that follow each
// other at an even place of the text. Most of the words that rules ask for are in few modules.
type triples [4096]byte

func triplesOf(text []byte) *triples {
	t := new(triples)
	for len(text) >= 3 {
		at := tripleAt(text[0], text[1], text[2])
		t[at>>3] |= 1 << (at & 7)
		text = text[2:]
	}
	return t
}

// mayHold reports false for a word that the text does not hold, whether the word starts at an even place or an odd one.
func (t *triples) mayHold(word string) bool {
	return t.mayHoldFrom(word, 0) || len(word) > 0 && t.mayHoldFrom(word, 1)
}

func (t *triples) mayHoldFrom(word string, from int) bool {
	for i := from + 2; i < len(word); i += 2 {
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

// holdsWord is bytes.Contains for a text that most likely holds the word's letters all over. It looks for the rarest of them.
func holdsWord(text []byte, word string) bool {
	if word == "" {
		return true
	}
	rare := 0
	for i := 1; i < len(word); i++ {
		if often[word[i]] < often[word[rare]] {
			rare = i
		}
	}
	for from := rare; from < len(text); {
		at := bytes.IndexByte(text[from:], word[rare])
		if at < 0 {
			return false
		}
		from += at + 1
		if start := from - 1 - rare; len(text)-start >= len(word) && string(text[start:start+len(word)]) == word {
			return true
		}
	}
	return false
}

// often is how often a byte occurs in Python, roughly.
var often = func() (table [256]byte) {
	for i, c := range []byte("?$@!Z~Q&^|%+<`;K>JYX{}VWjGH*UOBkRwMDFPLCINST\\AEzq/#-][vx\"yb',hg:=umcf)(pdl._ionsrate ") {
		table[c] = byte(i) + 1
	}
	for c := byte('0'); c <= '9'; c++ {
		table[c] = 40
	}
	return table
}()
