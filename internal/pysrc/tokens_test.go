package pysrc

// allTokens cuts source into tokens, without a parser. Indents, dedents and the newlines that end logical lines are
// tokens; comments are returned beside them.
func allTokens(src []byte) (tokens []token, comments []Span, errors []SyntaxError) {
	s := decode(src)
	f := &File{Src: s.text, LineStarts: lineStarts(s.text, s.bom)}
	if s.unreadable {
		f.setErrors(s.faults, 0)
		return nil, nil, f.Errors
	}
	l := new(lexer)
	l.start(s)
	tokens = make([]token, 0, len(s.text)/4)
	for {
		l.line()
		tokens = append(tokens, l.toks...)
		if l.toks[len(l.toks)-1].Kind == tokEOF {
			break
		}
	}
	f.setErrors(l.faults, 0)
	return tokens, l.comments, f.Errors
}
