package pysrc

// operator reads an operator, bracket or other punctuation. CPython takes the
// longest that there is.
func (l *lexer) operator(c byte) {
	start := l.pos
	var next, third byte
	if start+1 < len(l.src) {
		next = l.src[start+1]
	}
	if start+2 < len(l.src) {
		third = l.src[start+2]
	}
	kind, size := Kind(tokBad), 1
	switch c {
	case '(', '[', '{':
		l.open(c)
		return
	case ')', ']', '}':
		l.close(c)
		return
	case ',':
		kind = tokComma
	case '.':
		switch {
		case class[next] == classDigit:
			l.number()
			return
		case next == '.' && third == '.':
			kind, size = tokEllipsis, 3
		default:
			kind = tokDot
		}
	case ':':
		if n := len(l.brackets); n > 0 && l.brackets[n-1].field {
			l.emit(tokColon, start, start+1)
			l.pos++
			l.brackets[n-1].spec = true
			l.fstringText()
			return
		}
		kind, size = choose(tokColon, next == '=', tokWalrus)
	case '=':
		kind, size = choose(tokEqual, next == '=', tokEqEqual)
	case '+':
		kind, size = choose(tokAdd, next == '=', tokAddEqual)
	case '-':
		kind, size = choose(tokSub, next == '=', tokSubEqual)
		if next == '>' {
			kind, size = tokArrow, 2
		}
	case '*':
		kind, size = doubled(c, next, third, tokMult, tokMultEqual, tokPow, tokPowEqual)
	case '/':
		kind, size = doubled(c, next, third, tokDiv, tokDivEqual, tokFloorDiv, tokFloorDivEqual)
	case '<':
		kind, size = doubled(c, next, third, tokLess, tokLessEqual, tokLShift, tokLShiftEqual)
		if next == '>' {
			kind, size = tokUnknown, 2
		}
	case '>':
		kind, size = doubled(c, next, third, tokGreater, tokGreaterEqual, tokRShift, tokRShiftEqual)
	case '%':
		kind, size = choose(tokMod, next == '=', tokModEqual)
	case '&':
		kind, size = choose(tokBitAnd, next == '=', tokBitAndEqual)
	case '|':
		kind, size = choose(tokBitOr, next == '=', tokBitOrEqual)
	case '^':
		kind, size = choose(tokBitXor, next == '=', tokBitXorEqual)
	case '@':
		kind, size = choose(tokMatMult, next == '=', tokMatMultEqual)
	case '!':
		kind, size = choose(tokBang, next == '=', tokNotEqual)
	case '~':
		kind = tokTilde
	case ';':
		kind = tokSemicolon
	}
	l.pos += size
	l.emit(kind, start, l.pos)
}

func choose(one Kind, isTwo bool, two Kind) (Kind, int) {
	if isTwo {
		return two, 2
	}
	return one, 1
}

// doubled tells apart c, c=, cc and cc=.
func doubled(c, next, third byte, one, oneEqual, two, twoEqual Kind) (Kind, int) {
	switch {
	case next == '=':
		return oneEqual, 2
	case next != c:
		return one, 1
	case third == '=':
		return twoEqual, 3
	}
	return two, 2
}

// open reads an opening bracket.
func (l *lexer) open(c byte) {
	if len(l.brackets) >= maxBrackets {
		l.fail(l.pos, l.pos+1, "too many nested parentheses")
		return
	}
	kind := tokLBrace
	switch c {
	case '(':
		kind = tokLParen
	case '[':
		kind = tokLBracket
	}
	l.brackets = append(l.brackets, bracket{open: c, pos: int32(l.pos)})
	l.emit(kind, l.pos, l.pos+1)
	l.pos++
}

// close reads a closing bracket. That of a replacement field leads back into
// the text of its f-string.
func (l *lexer) close(c byte) {
	n := len(l.brackets)
	if n == 0 {
		l.fail(l.pos, l.pos+1, "unmatched '"+string(rune(c))+"'")
		return
	}
	top := l.brackets[n-1]
	kind, open := tokRBrace, byte('{')
	switch c {
	case ')':
		kind, open = tokRParen, '('
	case ']':
		kind, open = tokRBracket, '['
	}
	if top.open != open {
		message := "closing parenthesis '" + string(rune(c)) + "' does not match opening parenthesis '" +
			string(rune(top.open)) + "'"
		if top.field {
			message = "f-string: unmatched '" + string(rune(c)) + "'"
		}
		l.fail(l.pos, l.pos+1, message)
		return
	}
	l.brackets = l.brackets[:n-1]
	l.emit(kind, l.pos, l.pos+1)
	l.pos++
	if top.field {
		l.fstringText()
	}
}
