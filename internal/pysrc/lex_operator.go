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
	kind, size := Kind(TokBad), 1
	switch c {
	case '(', '[', '{':
		l.open(c)
		return
	case ')', ']', '}':
		l.close(c)
		return
	case ',':
		kind = TokComma
	case '.':
		switch {
		case class[next] == classDigit:
			l.number()
			return
		case next == '.' && third == '.':
			kind, size = TokEllipsis, 3
		default:
			kind = TokDot
		}
	case ':':
		if n := len(l.brackets); n > 0 && l.brackets[n-1].field {
			l.emit(TokColon, start, start+1)
			l.pos++
			l.brackets[n-1].spec = true
			l.fstringText()
			return
		}
		kind, size = choose(TokColon, next == '=', TokWalrus)
	case '=':
		kind, size = choose(TokEqual, next == '=', TokEqEqual)
	case '+':
		kind, size = choose(TokAdd, next == '=', TokAddEqual)
	case '-':
		kind, size = choose(TokSub, next == '=', TokSubEqual)
		if next == '>' {
			kind, size = TokArrow, 2
		}
	case '*':
		kind, size = doubled(c, next, third, TokMult, TokMultEqual, TokPow, TokPowEqual)
	case '/':
		kind, size = doubled(c, next, third, TokDiv, TokDivEqual, TokFloorDiv, TokFloorDivEqual)
	case '<':
		kind, size = doubled(c, next, third, TokLess, TokLessEqual, TokLShift, TokLShiftEqual)
		if next == '>' {
			kind, size = TokUnknown, 2
		}
	case '>':
		kind, size = doubled(c, next, third, TokGreater, TokGreaterEqual, TokRShift, TokRShiftEqual)
	case '%':
		kind, size = choose(TokMod, next == '=', TokModEqual)
	case '&':
		kind, size = choose(TokBitAnd, next == '=', TokBitAndEqual)
	case '|':
		kind, size = choose(TokBitOr, next == '=', TokBitOrEqual)
	case '^':
		kind, size = choose(TokBitXor, next == '=', TokBitXorEqual)
	case '@':
		kind, size = choose(TokMatMult, next == '=', TokMatMultEqual)
	case '!':
		kind, size = choose(TokBang, next == '=', TokNotEqual)
	case '~':
		kind = TokTilde
	case ';':
		kind = TokSemicolon
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
	kind := TokLBrace
	switch c {
	case '(':
		kind = TokLParen
	case '[':
		kind = TokLBracket
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
	kind, open := TokRBrace, byte('{')
	switch c {
	case ')':
		kind, open = TokRParen, '('
	case ']':
		kind, open = TokRBracket, '['
	}
	if top.open != open {
		message := "closing parenthesis '" + string(rune(c)) + "' does not match opening parenthesis '" + string(rune(top.open)) + "'"
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
