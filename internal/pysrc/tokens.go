package pysrc

import "unsafe"

// Tokens cuts source into tokens, without a parser: for those who look for
// words or comments only. Indents, dedents and the newlines that end logical
// lines are tokens; comments are returned beside them.
func Tokens(src []byte) (tokens []Token, comments []Span, errors []SyntaxError) {
	s := decode(src)
	f := &File{Src: s.text, LineStarts: lineStarts(s.text, s.bom)}
	if s.unreadable {
		f.setErrors(s.faults, 0)
		return nil, nil, f.Errors
	}
	l := newLexer(s)
	tokens = make([]Token, 0, len(s.text)/4)
	for {
		l.line()
		tokens = append(tokens, l.toks...)
		if l.toks[len(l.toks)-1].Kind == TokEOF {
			break
		}
	}
	f.setErrors(l.faults, 0)
	return tokens, l.comments, f.Errors
}

func newLexer(s source) *lexer {
	l := &lexer{}
	l.start(s)
	return l
}

// start makes the lexer read from the beginning of a source.
func (l *lexer) start(s source) {
	l.src, l.pos = s.text, s.bom
	l.text = unsafe.String(unsafe.SliceData(s.text), len(s.text))
	l.faults = s.faults
	l.comments = l.comments[:0]
	l.indents = append(l.indents[:0], indent{})
	l.brackets, l.fstrings = l.brackets[:0], l.fstrings[:0]
}
