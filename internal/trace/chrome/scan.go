package chrome

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// All functions here look at a buffer that ends with a zero byte which is not part of
// the text: loops stop there without asking for the length at every step. A zero byte
// inside the text is possible, as broken files have them; only then the length is asked.

// Answers in place of a position.
const (
	cut       = -1 // the text ends before the value does
	malformed = -2 // the text cannot be understood
)

// space skips white space, and control characters that have no business between tokens.
func space(b []byte, i int) int {
	for b[i] <= ' ' {
		if b[i] == 0 && i >= len(b)-1 {
			return i
		}
		i++
	}
	return i
}

// text is a string of the file, without its quotes.
type text struct {
	raw     []byte
	escaped bool // it has backslashes
}

// quoted reads the string whose opening quote is at b[i].
//
// Some profilers write quotes inside strings without a backslash. So a quote ends the
// string only if what follows can stand behind a string; otherwise it belongs to it.
func quoted(b []byte, i int) (s text, next int) {
	start := i + 1
	j := start
	for {
		k := bytes.IndexByte(b[j:], '"')
		if k < 0 {
			return text{}, cut
		}
		j += k
		if b[j-1] == '\\' && j > start && oddBackslashes(b[start:j]) {
			j++
			continue
		}
		switch b[j+1] {
		case ',', ':', '}', ']':
		default:
			after := space(b, j+1)
			switch b[after] {
			case ',', ':', '}', ']':
			case 0:
				return text{}, cut
			default:
				j++
				continue
			}
		}
		raw := b[start:j]
		return text{raw, bytes.IndexByte(raw, '\\') >= 0}, j + 1
	}
}

func oddBackslashes(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// unescape returns the string's meaning; what follows a backslash wrongly is kept as it is.
func (s text) unescape(scratch []byte) []byte {
	if !s.escaped {
		return s.raw
	}
	out, raw := scratch[:0], s.raw
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		i++
		switch c := raw[i]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'n', 'r', 't', 'b', 'f':
			out = append(out, ' ') // names are shown on one line
		case 'u':
			r, n := unicodeEscape(raw[i+1:])
			if n == 0 {
				out = append(out, '\\', 'u')
				continue
			}
			out = utf8.AppendRune(out, r)
			i += n
		default:
			out = append(out, '\\', c)
		}
	}
	return out
}

// unicodeEscape reads the digits behind \u, and a second half where there is one.
func unicodeEscape(b []byte) (r rune, n int) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if len(b) >= 10 && b[4] == '\\' && b[5] == 'u' {
			if low, ok := hex4(b[6:]); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return pair, 10
				}
			}
		}
		return utf8.RuneError, 4
	}
	return r, 4
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// skip returns the position after the value at b[i], of any kind and depth.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		_, next := quoted(b, i)
		return next
	case '{', '[':
		return skipNested(b, i)
	}
	return skipBare(b, i)
}

// skipBare skips a number or a word: true, null, NaN, N/A …
func skipBare(b []byte, i int) int {
	start := i
	for bareByte[b[i]] {
		i++
	}
	switch {
	case b[i] == 0 && i >= len(b)-1:
		return cut
	case i == start:
		return malformed
	}
	return i
}

// bareByte marks what a bare value consists of: all but white space and structure.
var bareByte = func() (is [256]bool) {
	for c := range is {
		is[c] = c > ' ' && c != ',' && c != '}' && c != ']' && c != '{' && c != '[' && c != '"' && c != ':'
	}
	return is
}()

// nestByte marks the bytes that matter while skipping something nested.
var nestByte = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, 0: true}

// skipNested skips an object or array. Brackets that do not match, and an object that
// stands where a key should, mean that something is missing before; noticing that keeps a
// broken event from swallowing those that follow.
func skipNested(b []byte, i int) int {
	depth := 0
	var objects uint64 // one bit a level, the innermost lowest: is it an object?
	known := true      // the bits suffice for the depth
	for {
		for !nestByte[b[i]] {
			i++
		}
		switch c := b[i]; c {
		case '"':
			_, i = quoted(b, i)
			if i < 0 {
				return i
			}
			continue
		case '{', '[':
			if c == '{' && objects&1 == 1 && !follows(b, i, ':') {
				return malformed
			}
			depth++
			known = known && depth <= 64
			objects <<= 1
			if c == '{' {
				objects |= 1
			}
		case '}', ']':
			if known && (c == '}') != (objects&1 == 1) {
				return malformed
			}
			depth--
			objects >>= 1
			if depth == 0 {
				return i + 1
			}
		default:
			if i >= len(b)-1 {
				return cut
			}
		}
		i++
	}
}

// follows reports whether b[i] follows c, white space aside.
func follows(b []byte, i int, c byte) bool {
	for i--; i > 0 && b[i] <= ' '; i-- {
	}
	return b[i] == c
}
