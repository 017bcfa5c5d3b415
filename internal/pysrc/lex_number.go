package pysrc

import "strings"

// number reads a number at l.pos, which is a digit, or a dot before one.
func (l *lexer) number() {
	src, start := l.src, l.pos
	i := start
	for i < len(src) && class[src[i]] == classDigit {
		i++
	}
	// Most numbers are plain integers.
	if i < len(src) && (class[src[i]] <= classDigit || src[i] == '.') || src[start] == '0' && i > start+1 {
		l.otherNumber()
		return
	}
	if i-start > maxDigits {
		l.pos = i
		l.fail(start, i, tooManyDigits)
		return
	}
	l.pos = i
	l.emit(tokNumber, start, i)
}

// CPython converts no longer decimal literal.
const (
	maxDigits     = 4300
	tooManyDigits = "Exceeds the limit (4300 digits) for integer string conversion; " +
		"consider hexadecimal for huge integer literals"
)

// otherNumber reads any number.
func (l *lexer) otherNumber() {
	src, start := l.src, l.pos
	base := "decimal"
	if src[start] == '0' && start+1 < len(src) {
		switch src[start+1] | 0x20 {
		case 'x':
			base = "hexadecimal"
		case 'o':
			base = "octal"
		case 'b':
			base = "binary"
		}
	}
	if base != "decimal" {
		l.pos += 2
		if l.byteAt(0) == '_' {
			l.pos++
		}
		if !l.digits(base) {
			return
		}
	} else if !l.decimal() {
		return
	}
	if l.numberEnd(base) {
		l.emit(tokNumber, start, l.pos)
	}
}

// byteAt is the byte at a distance from the current one, or 0.
func (l *lexer) byteAt(distance int) byte {
	if l.pos+distance < len(l.src) {
		return l.src[l.pos+distance]
	}
	return 0
}

func isDigit(c byte, base string) bool {
	switch base {
	case "hexadecimal":
		return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
	case "octal":
		return c >= '0' && c <= '7'
	case "binary":
		return c == '0' || c == '1'
	}
	return c >= '0' && c <= '9'
}

// digits reads one or more digits with single underscores between them.
func (l *lexer) digits(base string) bool {
	for {
		if !isDigit(l.byteAt(0), base) {
			if c := l.byteAt(0); c >= '0' && c <= '9' {
				l.fail(l.pos, l.pos+1, "invalid digit '"+string(rune(c))+"' in "+base+" literal")
			} else {
				l.fail(l.pos, l.pos+1, "invalid "+base+" literal")
			}
			return false
		}
		for isDigit(l.byteAt(0), base) {
			l.pos++
		}
		if c := l.byteAt(0); base != "decimal" && c >= '0' && c <= '9' {
			l.fail(l.pos, l.pos+1, "invalid digit '"+string(rune(c))+"' in "+base+" literal")
			return false
		}
		if l.byteAt(0) != '_' {
			return true
		}
		l.pos++
	}
}

// decimal reads a decimal integer, a float or an imaginary number.
func (l *lexer) decimal() bool {
	start := l.pos
	if l.byteAt(0) != '.' && !l.digits("decimal") {
		return false
	}
	whole := l.text[start:l.pos]
	isInt := true
	if l.byteAt(0) == '.' {
		isInt = false
		l.pos++
		if isDigit(l.byteAt(0), "decimal") && !l.digits("decimal") {
			return false
		}
	}
	if l.byteAt(0)|0x20 == 'e' {
		exponent := 1
		if c := l.byteAt(1); c == '+' || c == '-' {
			exponent = 2
			if !isDigit(l.byteAt(2), "decimal") {
				l.pos += 2
				l.fail(start, l.pos, "invalid decimal literal")
				return false
			}
		}
		// 1else is 1 else: an e without digits belongs to what follows.
		if isDigit(l.byteAt(exponent), "decimal") {
			isInt = false
			l.pos += exponent
			if !l.digits("decimal") {
				return false
			}
		}
	}
	if l.byteAt(0)|0x20 == 'j' {
		l.pos++
		return true
	}
	if isInt && whole[0] == '0' && strings.Trim(whole, "0_") != "" {
		l.fail(start, l.pos, "leading zeros in decimal integer literals are not permitted; "+
			"use an 0o prefix for octal integers")
		return false
	}
	if isInt && len(whole)-strings.Count(whole, "_") > maxDigits {
		l.fail(start, l.pos, tooManyDigits)
		return false
	}
	return true
}

// numberEnd checks that no name follows without a space. CPython still lets
// some keywords follow, as in 1if x else 2.
func (l *lexer) numberEnd(base string) bool {
	if l.pos >= len(l.src) || class[l.src[l.pos]] > classDigit {
		return true
	}
	rest := l.text[l.pos:]
	for _, word := range [...]string{"and", "else", "for", "if", "in", "is", "not", "or"} {
		if strings.HasPrefix(rest, word) {
			return true
		}
	}
	l.fail(l.pos, l.pos+1, "invalid "+base+" literal")
	return false
}
