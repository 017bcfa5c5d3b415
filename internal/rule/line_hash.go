package rule

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// hashed is how many characters a line's hash covers, from the line's start on. Blanks do not count.
const hashed = 100

// lineHashes gives for each line of a file what tells it from the others wherever it moves to: a rolling hash of the
// characters from it on, and how often that came before. GitHub computes the same for results without it
// (primaryLocationLineHash), and warns where the two differ.
func lineHashes(text []byte) []lineHash {
	var first int64 = 1 // what the oldest character was multiplied with
	for range hashed {
		first *= 37
	}
	var (
		window  [hashed]int64
		pending [hashed]bool // a line starts at this place of the window
		list    = make([]lineHash, 0, len(text)/32)
		seen    = map[int64]int{}
		hash    int64
		at      int
	)
	push := func(c int64) {
		if pending[at] {
			seen[hash]++
			list = append(list, lineHash{hash, seen[hash]})
			pending[at] = false
		}
		hash = 37*hash + c - first*window[at]
		window[at] = c
		if at++; at == hashed {
			at = 0
		}
	}
	starts, afterCR := true, false
	read := func(c int64) {
		if c == ' ' || c == '\t' || afterCR && c == '\n' {
			afterCR = false
			return
		}
		if afterCR = c == '\r'; afterCR {
			c = '\n'
		}
		line := starts
		starts = c == '\n'
		place := at
		push(c)
		pending[place] = line
	}
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		text = text[size:]
		if high, low := utf16.EncodeRune(c); high != utf8.RuneError {
			read(int64(high))
			read(int64(low))
		} else {
			read(int64(c))
		}
	}
	read(65535) // the end
	for range hashed {
		push(0)
	}
	return list
}

// lineHash is the hash of a line, and how many lines with it there are up to this one.
type lineHash struct {
	hash  int64
	count int
}

func (h lineHash) String() string {
	return strconv.FormatUint(uint64(h.hash), 16) + ":" + strconv.Itoa(h.count)
}
