package pysrc

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// unescape turns the source between the quotes of a literal into its value:
// escapes, newlines as \n, and {{ as { in f-strings. Problem says what is
// wrong, if anything.
func unescape(text string, flags tokenFlags) (value, problem string) {
	out := make([]byte, 0, len(text))
	escapes := flags&flagRaw == 0
	braces := flags&flagBraces != 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\\' && escapes && i+1 < len(text):
			var size int
			out, size, problem = appendEscape(out, text[i:], flags&flagBytes != 0)
			if problem != "" {
				return "", problem
			}
			i += size
		case c == '\r':
			out = append(out, '\n')
			i++
			if i < len(text) && text[i] == '\n' {
				i++
			}
		case braces && (c == '{' || c == '}'):
			out = append(out, c)
			i += 2
		default:
			out = append(out, c)
			i++
		}
	}
	return string(out), ""
}

// simpleEscapes are those of one letter.
var simpleEscapes = [256]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9,
	'v': 11,
}

// appendEscape decodes the escape at the start of text, which has at least two bytes.
func appendEscape(out []byte, text string, isBytes bool) (_ []byte, size int, problem string) {
	c := text[1]
	if s := simpleEscapes[c]; s != 0 {
		return append(out, s), 2, ""
	}
	switch {
	case c == '\n':
		return out, 2, ""
	case c == '\r':
		if len(text) > 2 && text[2] == '\n' {
			return out, 3, ""
		}
		return out, 2, ""
	case c >= '0' && c <= '7':
		value, size := rune(0), 1
		for size < len(text) && size < 4 && text[size] >= '0' && text[size] <= '7' {
			value = value*8 + rune(text[size]-'0')
			size++
		}
		if isBytes {
			return append(out, byte(value)), size, ""
		}
		return appendRune(out, value), size, ""
	case c == 'x' && isBytes:
		value, ok := hexValue(text, 2)
		if !ok {
			return out, 0, `(value error) invalid \x escape`
		}
		return append(out, byte(value)), 4, ""
	case isBytes:
	case c == 'x', c == 'u', c == 'U':
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		value, ok := hexValue(text, digits)
		if !ok {
			return out, 0, fmt.Sprintf(`(unicode error) 'unicodeescape' codec can't decode bytes: truncated \%c%s escape`, c, strings.Repeat("X", digits))
		}
		if value > utf8.MaxRune {
			return out, 0, "(unicode error) 'unicodeescape' codec can't decode bytes: illegal Unicode character"
		}
		return appendRune(out, rune(value)), 2 + digits, ""
	case c == 'N':
		end := strings.IndexByte(text, '}')
		if len(text) < 3 || text[2] != '{' || end < 4 {
			return out, 0, `(unicode error) 'unicodeescape' codec can't decode bytes: malformed \N character escape`
		}
		r, ok := runeByName(text[3:end])
		if !ok {
			return out, 0, "(unicode error) 'unicodeescape' codec can't decode bytes: unknown Unicode character name"
		}
		return appendRune(out, r), end + 1, ""
	}
	// An unknown escape stands for itself; the character after the backslash
	// is read as any other.
	return append(out, '\\'), 1, ""
}

// hexValue reads the digits after \x, \u or \U.
func hexValue(text string, digits int) (value uint32, ok bool) {
	if len(text) < 2+digits {
		return 0, false
	}
	for _, c := range []byte(text[2 : 2+digits]) {
		switch {
		case c >= '0' && c <= '9':
			value = value<<4 | uint32(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			value = value<<4 | uint32(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return value, true
}

// appendRune appends the UTF-8 of a character, and of a surrogate, which Go
// does not let be encoded, the three bytes that CPython calls surrogatepass.
func appendRune(out []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(out, r)
}
