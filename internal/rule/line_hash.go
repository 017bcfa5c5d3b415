package rule

import (
	"strconv"
	"unicode/utf16"
)

// hashed is how many characters a line's hash covers, from the line's start on. Blanks do not count.
const hashed = 100

// lineHashes gives for each line of a file what tells it from the others wherever it moves to: a rolling hash of the
// characters from it on, and how often that came before. GitHub computes the same for results without it
// (primaryLocationLineHash), and warns where the two differ.
func lineHashes(text []byte) []string {
	var first int64 = 1 // what the oldest character was multiplied with
	for range hashed {
		first *= 37
	}
	var (
		window  [hashed]int64
		pending [hashed]bool // a line starts at this place of the window
		list    []string
		seen    = map[string]int{}
		hash    int64
		at      int
	)
	push := func(c int64) {
		if pending[at] {
			value := strconv.FormatUint(uint64(hash), 16)
			seen[value]++
			list = append(list, value+":"+strconv.Itoa(seen[value]))
			pending[at] = false
		}
		hash = 37*hash + c - first*window[at]
		window[at] = c
		at = (at + 1) % hashed
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
	for _, c := range utf16.Encode([]rune(string(text))) {
		read(int64(c))
	}
	read(65535) // the end
	for range hashed {
		push(0)
	}
	return list
}
