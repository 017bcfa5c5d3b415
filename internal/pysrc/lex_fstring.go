package pysrc

// fstring is an f-string or t-string that is being read. Its text and its
// replacement fields are tokens of their own (PEP 701).
type fstring struct {
	start int32
	quote byte
	flags tokenFlags
	base  int // brackets open outside the string
}

// fstring reads the start of an f-string and its text up to the first field.
func (l *lexer) fstring(start, quote int, flags tokenFlags) {
	if len(l.fstrings) >= maxFStrings {
		l.fail(start, quote, "too many nested f-strings")
		return
	}
	q := l.src[quote]
	l.pos = quote + 1
	if l.byteAt(0) == q && l.byteAt(1) == q {
		flags |= flagTriple
		l.pos += 2
	}
	l.toks = append(l.toks, token{Span{int32(start), int32(l.pos)}, tokFStringStart, flags})
	l.fstrings = append(l.fstrings, fstring{int32(start), q, flags, len(l.brackets)})
	l.fstringText()
}

// fstringStop marks the bytes at which reading text must stop and look.
var fstringStop = [256]bool{'"': true, '\'': true, '\\': true, '\n': true, '\r': true, '{': true, '}': true}

// fstringText reads literal text of the innermost f-string: up to a
// replacement field, the end of the format specification, or the end of the string.
func (l *lexer) fstringText() {
	src := l.src
	f := l.fstrings[len(l.fstrings)-1]
	inSpec := len(l.brackets) > f.base
	start, i := l.pos, l.pos
	flags := f.flags
	text := func() {
		if i > start {
			l.toks = append(l.toks, token{Span{int32(start), int32(i)}, tokFStringMiddle, flags})
		}
		l.pos = i
	}
	for {
		for i < len(src) && !fstringStop[src[i]] {
			i++
		}
		if i >= len(src) {
			l.unterminated(int(f.start), len(src), flags&flagTriple != 0, f.what())
			return
		}
		switch c := src[i]; {
		case c == '{':
			if !inSpec && i+1 < len(src) && src[i+1] == '{' {
				flags |= flagBraces
				i += 2
				continue
			}
			text()
			l.openField(f)
			return
		case c == '}':
			if inSpec {
				text()
				return
			}
			if i+1 >= len(src) || src[i+1] != '}' {
				l.pos = i
				l.fail(i, i+1, f.what()+": single '}' is not allowed")
				return
			}
			flags |= flagBraces
			i += 2
		case c == '\\':
			flags |= flagBackslash
			i = l.fstringEscape(i, flags)
		case c == f.quote:
			if flags&flagTriple != 0 && (i+2 >= len(src) || src[i+1] != c || src[i+2] != c) {
				i++
				continue
			}
			text()
			l.endFString(f)
			return
		case c == '"' || c == '\'':
			i++
		default: // a newline
			if flags&flagTriple == 0 && inSpec {
				l.pos = i
				l.fail(i, i+1, f.what()+": newlines are not allowed in format specifiers for single quoted "+f.what()+"s")
				return
			}
			if flags&flagTriple == 0 {
				l.unterminated(int(f.start), i, false, f.what())
				return
			}
			if c == '\r' {
				flags |= flagReturn
			}
			i++
		}
	}
}

// what names the kind of string in messages.
func (f fstring) what() string {
	if f.flags&flagTemplate != 0 {
		return "t-string"
	}
	return "f-string"
}

// fstringEscape steps over a backslash and what it escapes. A brace is never
// escaped, except that \N{name} is one escape.
func (l *lexer) fstringEscape(i int, flags tokenFlags) int {
	src := l.src
	i++
	if i >= len(src) {
		return i
	}
	switch src[i] {
	case '{', '}':
		return i
	case '\r':
		// translated below; \r\n is one newline
		if i+1 < len(src) && src[i+1] == '\n' {
			i++
		}
	case 'N':
		if flags&flagRaw == 0 && i+1 < len(src) && src[i+1] == '{' {
			for i < len(src) && src[i] != '}' && src[i] != '\n' && src[i] != '"' && src[i] != '\'' {
				i++
			}
			if i < len(src) && src[i] != '}' {
				return i
			}
		}
	}
	return i + 1
}

// openField reads the { of a replacement field.
func (l *lexer) openField(f fstring) {
	if len(l.brackets) >= maxBrackets {
		l.fail(l.pos, l.pos+1, "too many nested parentheses")
		return
	}
	nested := 0
	for _, b := range l.brackets[f.base:] {
		if b.field {
			nested++
		}
	}
	if nested >= maxFields {
		l.fail(l.pos, l.pos+1, f.what()+": expressions nested too deeply")
		return
	}
	l.brackets = append(l.brackets, bracket{open: '{', field: true, pos: int32(l.pos)})
	l.emit(tokLBrace, l.pos, l.pos+1)
	l.pos++
}

// endFString reads the closing quotes.
func (l *lexer) endFString(f fstring) {
	size := 1
	if f.flags&flagTriple != 0 {
		size = 3
	}
	l.emit(tokFStringEnd, l.pos, l.pos+size)
	l.pos += size
	l.fstrings = l.fstrings[:len(l.fstrings)-1]
	// A field that is still open stays so, as a mere brace.
	for i := f.base; i < len(l.brackets); i++ {
		l.brackets[i].field = false
	}
}
