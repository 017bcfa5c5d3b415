package pysrc

import "bytes"

// stringPrefix reads the letters before a quote. f is set for f-strings and
// t-strings; ok is not when the letters are no prefix, but a name.
func stringPrefix(prefix []byte) (flags tokenFlags, f, ok bool) {
	var seen [2]byte
	for i, c := range prefix {
		if c == 'u' {
			flags |= flagUnicode // U"" is not remembered
		}
		c |= 0x20
		if i > 0 && seen[0] == c {
			return 0, false, false
		}
		seen[i] = c
		switch c {
		case 'r':
			flags |= flagRaw
		case 'b':
			flags |= flagBytes
		case 'u':
		case 't':
			flags |= flagTemplate
			f = true
		case 'f':
			f = true
		default:
			return 0, false, false
		}
	}
	// Only r goes with another letter, and not with u.
	if len(prefix) == 2 && (flags&flagRaw == 0 || seen[0] == 'u' || seen[1] == 'u') {
		return 0, false, false
	}
	return flags, f, true
}

// stringStop marks the bytes at which reading a string must stop and look.
var stringStop = [256]bool{'"': true, '\'': true, '\\': true, '\n': true, '\r': true}

// quoted reads a string that starts at start and whose quote is at quote.
func (l *lexer) quoted(start, quote int, flags tokenFlags) {
	src, q := l.src, l.src[quote]
	i := quote + 1
	if i+1 < len(src) && src[i] == q && src[i+1] == q {
		flags |= flagTriple
		i += 2
	}
	for {
		for i < len(src) && !stringStop[src[i]] {
			i++
		}
		if i >= len(src) {
			l.unterminated(start, len(src), flags&flagTriple != 0, "string")
			return
		}
		switch c := src[i]; {
		case c == '\\':
			flags |= flagBackslash
			i++
			if i < len(src) && src[i] == '\r' {
				flags |= flagReturn
				if i+1 < len(src) && src[i+1] == '\n' {
					i++
				}
			}
			i++
		case c == q:
			i++
			if flags&flagTriple != 0 {
				if i+1 >= len(src) || src[i] != q || src[i+1] != q {
					continue
				}
				i += 2
			}
			l.pos = i
			l.toks = append(l.toks, token{Span{int32(start), int32(i)}, tokString, flags})
			return
		case c == '"' || c == '\'':
			i++
		default: // a newline
			if flags&flagTriple == 0 {
				l.unterminated(start, i, false, "string")
				return
			}
			if c == '\r' {
				flags |= flagReturn
			}
			i++
		}
	}
}

// unterminated reports a string without an end. The next line is the one after
// its first, so that a forgotten quote costs one line.
func (l *lexer) unterminated(start, end int, triple bool, what string) {
	l.pos = start
	if n := len(l.fstrings); n > 0 && what == "string" && l.src[start] == l.fstrings[n-1].quote &&
		triple == (l.fstrings[n-1].flags&flagTriple != 0) {
		// What looks like a string in a field is the end of the f-string.
		l.fail(start, end, l.fstrings[n-1].what()+": expecting '}'")
		return
	}
	if !triple {
		l.pos = end
		l.fail(start, end, "unterminated "+what+" literal")
		return
	}
	end = start
	if i := bytes.IndexByte(l.src[start:], '\n'); i >= 0 {
		end += i
	} else {
		end = len(l.src)
	}
	l.fail(start, end, "unterminated triple-quoted "+what+" literal")
}
