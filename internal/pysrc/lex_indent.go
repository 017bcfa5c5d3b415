package pysrc

// indent is one level of indentation: its column with tabs to the next
// multiple of 8, and with tabs as one column. Where the two disagree about
// what is deeper, the indentation is ambiguous.
type indent struct {
	col, alt int32
}

// indentation reads up to the first token of a line that has one, and emits
// what its indentation means. At the end of the file it emits tokEOF and
// returns false; likewise after a fault.
func (l *lexer) indentation() bool {
	src := l.src
	var at indent
	var continued int32
	for l.pos < len(src) {
		switch src[l.pos] {
		case ' ':
			at.col++
			at.alt++
			l.pos++
		case '\t':
			at.col = (at.col/8 + 1) * 8
			at.alt++
			l.pos++
		case '\f':
			at = indent{}
			l.pos++
		case '\\':
			// Indentation cannot be split over lines: the first part counts.
			if continued == 0 {
				continued = at.col
			}
			l.continuation()
			if l.broken {
				return false
			}
		case '\n', '\r':
			l.newline()
			at, continued = indent{}, 0
		case '#':
			l.comment()
		default:
			if continued != 0 {
				at = indent{continued, continued}
			}
			return l.indent(at)
		}
	}
	for range l.indents[1:] {
		l.emit(tokDedent, l.pos, l.pos)
	}
	l.indents = l.indents[:1]
	l.emit(tokEOF, l.pos, l.pos)
	return false
}

const ambiguousIndent = "inconsistent use of tabs and spaces in indentation"

// indent compares a line's indentation with the enclosing levels.
func (l *lexer) indent(at indent) bool {
	top := l.indents[len(l.indents)-1]
	switch {
	case at == top:
		return true
	case at.col == top.col:
		l.failAs(faultLayout, l.pos, l.pos, ambiguousIndent)
		return false
	case at.col > top.col:
		if len(l.indents) >= maxIndents {
			l.failAs(faultLayout, l.pos, l.pos, "too many levels of indentation")
			return false
		}
		if at.alt <= top.alt {
			l.failAs(faultLayout, l.pos, l.pos, ambiguousIndent)
			return false
		}
		l.indents = append(l.indents, at)
		l.emit(tokIndent, l.pos, l.pos)
		return true
	}
	for at.col < top.col {
		l.indents = l.indents[:len(l.indents)-1]
		top = l.indents[len(l.indents)-1]
		l.emit(tokDedent, l.pos, l.pos)
	}
	if at.col != top.col {
		l.failAs(faultLayout, l.pos, l.pos, "unindent does not match any outer indentation level")
		return false
	}
	if at.alt != top.alt {
		l.failAs(faultLayout, l.pos, l.pos, ambiguousIndent)
		return false
	}
	return true
}
