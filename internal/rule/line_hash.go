package rule

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// hashed is how many characters a line's hash covers, from the line's start on. Blanks do not count.
const hashed = 100

// lineHashes tell each line of a file from the others wherever it moves to: by a rolling hash of the characters from it on,
// and by how often that came before. GitHub computes the same for results without it (primaryLocationLineHash), and warns
// where the two differ.
type lineHashes []int64

// of is that of a line, from 1.
func (h lineHashes) of(line int) string {
	count := 0
	for _, other := range h[:line] {
		if other == h[line-1] {
			count++
		}
	}
	return strconv.FormatUint(uint64(h[line-1]), 16) + ":" + strconv.Itoa(count)
}

func lineHashesOf(text []byte) lineHashes {
	var first int64 = 1 // what the oldest character was multiplied with
	for range hashed {
		first *= 37
	}
	var (
		window  [hashed]int64
		pending [hashed]bool // a line starts at this place of the window
		list    = make(lineHashes, 0, len(text)/32)
		hash    int64
		at      int
	)
	push := func(c int64) {
		if pending[at] {
			list = append(list, hash)
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
		if c := text[0]; c < utf8.RuneSelf { // as nearly all are
			read(int64(c))
			text = text[1:]
			continue
		}
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
