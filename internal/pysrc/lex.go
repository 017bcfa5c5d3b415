package pysrc

import (
	"bytes"
	"unicode/utf8"
	"unsafe"
)

// lexer cuts decoded source into tokens, one logical line per call of line.
// The parser can therefore look ahead as far as the line goes, and after an
// error can start over at any physical line.
type lexer struct {
	src      []byte
	text     string // src, for substrings that cost nothing
	pos      int
	toks     []token // the current logical line, ending in tokNewline or tokEOF
	comments []Span
	faults   []fault

	indents  []indent
	brackets []bracket
	fstrings []fstring
	// broken is set when the current line has a fault and how its brackets
	// stand is not known.
	broken bool
	// unclosed is set when the current line ran to the end of the file.
	unclosed bool
}

// bracket is an open parenthesis, bracket, brace or replacement field.
type bracket struct {
	open  byte
	field bool // { of an f-string
	spec  bool // and we are behind its colon
	pos   int32
}

// faultKind orders errors as CPython does; see parser.cpythonFault.
type faultKind uint8

const (
	faultGrammar  faultKind = iota // tokens in the wrong order
	faultIndent                    // a line that is indented and must not be
	faultToken                     // no token at all
	faultLayout                    // indentation or a backslash that means nothing
	faultUnclosed                  // a bracket open at the end of the file
)

// CPython's limits.
const (
	maxBrackets = 200
	maxIndents  = 100
	maxFStrings = 150
	maxFields   = 3
)

// Classes of bytes; names and digits come first so that a byte of a name is
// told by one comparison.
const (
	className = iota
	classDigit
	classSpace
	classNewline
	classQuote
	classComment
	classBackslash
	classOperator
	classOther
)

// start makes the lexer read from the beginning of a source.
func (l *lexer) start(s source) {
	l.src, l.pos = s.text, s.bom
	l.text = unsafe.String(unsafe.SliceData(s.text), len(s.text))
	l.faults = s.faults
	l.comments = l.comments[:0]
	l.indents = append(l.indents[:0], indent{})
	l.brackets, l.fstrings = l.brackets[:0], l.fstrings[:0]
}

var class = func() (class [256]uint8) {
	for i := range class {
		switch c := byte(i); {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= utf8.RuneSelf:
			class[i] = className
		case c >= '0' && c <= '9':
			class[i] = classDigit
		case c == ' ', c == '\t', c == '\f':
			class[i] = classSpace
		case c == '\n', c == '\r':
			class[i] = classNewline
		case c == '"', c == '\'':
			class[i] = classQuote
		case c == '#':
			class[i] = classComment
		case c == '\\':
			class[i] = classBackslash
		case bytes.IndexByte([]byte("()[]{}:,;.!=+-*@/%<>|^&~"), c) >= 0:
			class[i] = classOperator
		default:
			class[i] = classOther
		}
	}
	return class
}()

func (l *lexer) emit(kind Kind, start, end int) {
	l.toks = append(l.toks, token{Span: Span{int32(start), int32(end)}, Kind: kind})
}

// line reads the next logical line into toks: dedents or an indent, tokens and
// a newline; at the end of the file, dedents and tokEOF.
func (l *lexer) line() {
	if l.startLine() {
		l.tokens()
	}
}

// startLine reads the indentation of the next line. It returns false at the end of the file, and after a fault.
func (l *lexer) startLine() bool {
	l.toks = l.toks[:0]
	l.broken, l.unclosed = false, false
	return l.indentation()
}

// tokens reads what follows the indentation of a line.
func (l *lexer) tokens() {
	src := l.src
	for l.pos < len(src) {
		c := src[l.pos]
		switch class[c] {
		case className:
			l.name()
		case classDigit:
			l.number()
		case classSpace:
			l.pos++
		case classNewline:
			if len(l.brackets) == 0 {
				l.emit(tokNewline, l.pos, l.pos+1)
				l.newline()
				return
			}
			l.newline()
		case classQuote:
			l.quoted(l.pos, l.pos, 0)
		case classComment:
			l.comment()
		case classBackslash:
			l.continuation()
		case classOperator:
			l.operator(c)
		default:
			l.other(c)
		}
		if l.broken {
			return
		}
	}
	l.endOfFile()
}

// newline steps over \n, \r\n or \r.
func (l *lexer) newline() {
	if l.src[l.pos] == '\r' && l.pos+1 < len(l.src) && l.src[l.pos+1] == '\n' {
		l.pos++
	}
	l.pos++
}

// endOfFile ends a line that has no newline of its own.
func (l *lexer) endOfFile() {
	if n := len(l.brackets); n > 0 {
		open := l.brackets[n-1]
		l.faults = append(l.faults, fault{
			Span:    Span{open.pos, open.pos + 1},
			message: "'" + string(rune(open.open)) + "' was never closed",
			kind:    faultUnclosed,
		})
		l.emit(tokBad, l.pos, l.pos)
		l.unclosed = true
		l.brackets = l.brackets[:0]
		l.fstrings = l.fstrings[:0]
	}
	l.emit(tokNewline, l.pos, l.pos)
}

// fail notes an error and gives up the line: a bad token, a newline, and the
// next line starts after the end of the physical line.
func (l *lexer) fail(start, end int, message string) { l.failAs(faultToken, start, end, message) }

func (l *lexer) failAs(kind faultKind, start, end int, message string) {
	end = min(end, len(l.src))
	l.faults = append(l.faults, fault{Span: Span{int32(start), int32(end)}, message: message, kind: kind})
	l.emit(tokBad, start, end)
	if i := bytes.IndexAny(l.src[l.pos:], "\r\n"); i >= 0 {
		l.pos += i
		l.emit(tokNewline, l.pos, l.pos+1)
		l.newline()
	} else {
		l.pos = len(l.src)
		l.emit(tokNewline, l.pos, l.pos)
	}
	l.broken = true
	l.unclosed = len(l.brackets) > 0
	l.brackets = l.brackets[:0]
	l.fstrings = l.fstrings[:0]
}

// restart makes the next line begin at offset, the start of a physical line.
func (l *lexer) restart(offset int) {
	l.pos = offset
	for len(l.comments) > 0 && int(l.comments[len(l.comments)-1].Start) >= offset {
		l.comments = l.comments[:len(l.comments)-1]
	}
}

// comment keeps a comment aside.
func (l *lexer) comment() {
	start := l.pos
	if i := bytes.IndexByte(l.src[start:], '\n'); i >= 0 {
		l.pos += i
	} else {
		l.pos = len(l.src)
	}
	if i := bytes.IndexByte(l.src[start:l.pos], '\r'); i >= 0 {
		l.pos = start + i
	}
	l.comments = append(l.comments, Span{int32(start), int32(l.pos)})
}

// continuation joins lines at a backslash.
func (l *lexer) continuation() {
	l.pos++
	if l.pos < len(l.src) && class[l.src[l.pos]] == classNewline {
		l.newline()
		if l.pos < len(l.src) {
			return
		}
		l.failAs(faultLayout, l.pos, l.pos, "unexpected EOF while parsing")
		return
	}
	if l.pos == len(l.src) {
		l.failAs(faultLayout, l.pos, l.pos, "unexpected EOF while parsing")
		return
	}
	l.failAs(faultLayout, l.pos-1, l.pos, "unexpected character after line continuation character")
}

// name reads an identifier, a keyword or the prefix of a string.
func (l *lexer) name() {
	src, start := l.src, l.pos
	i := start
	var nonASCII byte
	for i < len(src) && class[src[i]] <= classDigit {
		nonASCII |= src[i]
		i++
	}
	l.pos = i
	if i < len(src) && class[src[i]] == classQuote && i-start <= 2 {
		if flags, f, ok := stringPrefix(src[start:i]); ok {
			if f {
				l.fstring(start, i, flags)
			} else {
				l.quoted(start, i, flags)
			}
			return
		}
	}
	if nonASCII >= utf8.RuneSelf {
		l.foreignName(start)
		return
	}
	l.toks = append(l.toks, token{Span: Span{int32(start), int32(i)}, Kind: nameKind(src[start:i])})
}
