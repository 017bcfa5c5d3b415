package pysrc

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foreignName emits a name with characters beyond ASCII, from start to l.pos.
func (l *lexer) foreignName(start int) {
	first := true
	for i := start; i < l.pos; {
		r, size := utf8.DecodeRune(l.src[i:])
		if !isNameRune(r, first) {
			// What stands before it is a name of its own.
			if i > start {
				l.pos = i
				l.toks = append(l.toks, token{Span{int32(start), int32(i)}, tokName, flagNonASCII})
			}
			l.pos = i + size
			l.fail(i, i+size, invalidCharacter(r))
			return
		}
		first = false
		i += size
	}
	l.toks = append(l.toks, token{Span{int32(start), int32(l.pos)}, tokName, flagNonASCII})
}

// isNameRune reports whether Python lets a name have the character. It follows
// XID_Start and XID_Continue: what is a letter, and whose compatibility form
// is one too.
func isNameRune(r rune, first bool) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || !first && r >= '0' && r <= '9'
	}
	if !isIDRune(r, first) {
		return false
	}
	form := norm.NFKC.String(string(r))
	for i, r := range form {
		if !isIDRune(r, first && i == 0) {
			return false
		}
	}
	return true
}

func isIDRune(r rune, first bool) bool {
	switch {
	case unicode.Is(unicode.Pattern_Syntax, r):
		return false
	case r == '_', unicode.IsLetter(r), unicode.Is(unicode.Nl, r), unicode.Is(unicode.Other_ID_Start, r):
		return true
	case first:
		return false
	}
	switch r {
	case 0x200C, 0x200D, 0x30FB, 0xFF65: // since Unicode 15.1
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

func invalidCharacter(r rune) string {
	if unicode.IsPrint(r) {
		return fmt.Sprintf("invalid character '%c' (U+%04X)", r, r)
	}
	return fmt.Sprintf("invalid non-printable character U+%04X", r)
}

// other reads a byte that starts no token.
func (l *lexer) other(c byte) {
	if c >= ' ' && c < utf8.RuneSelf-1 {
		l.emit(tokUnknown, l.pos, l.pos+1)
		l.pos++
		return
	}
	l.fail(l.pos, l.pos+1, invalidCharacter(rune(c)))
}

// normalName is the identifier CPython makes of a name beyond ASCII.
func normalName(text string) string { return norm.NFKC.String(text) }
