package pysrc

import "strings"

// joiner puts adjacent strings together, and the text and fields of f-strings.
// Text that is next to text becomes one Constant. A single piece of text is a
// part of the source, not a copy.
type joiner struct {
	text    string
	buffer  []byte // the text, once it has more than one piece
	span    Span
	pieces  int
	unicode bool
}

func (j *joiner) add(text string, span Span, unicode bool) {
	switch j.pieces {
	case 0:
		j.text, j.span, j.unicode = text, span, unicode
	case 1:
		j.buffer = append(append(j.buffer[:0], j.text...), text...)
	default:
		j.buffer = append(j.buffer, text...)
	}
	j.span.End = span.End
	j.pieces++
}

func (j *joiner) value() string {
	if j.pieces > 1 {
		return string(j.buffer)
	}
	return j.text
}

// flush pushes the text so far, if any, as a Constant.
func (p *parser) flush(j *joiner) {
	if value := j.value(); value != "" {
		c := p.constants.new()
		c.Span, c.Kind, c.Value, c.Unicode = j.span, Str, value, j.unicode
		p.exprs.push(c)
	}
	j.pieces, j.text = 0, ""
}

// stringExpr parses one or more string literals as one expression.
func (p *parser) stringExpr() Expr {
	if p.tok.Kind == tokString && p.peek() != tokString && p.peek() != tokFStringStart {
		return p.oneString()
	}
	start := p.tok.Start
	mark := p.exprs.mark()
	var j joiner
	var bytes, text, formatted, template bool
	for {
		switch p.tok.Kind {
		case tokString:
			isBytes := p.tok.flags&flagBytes != 0
			bytes, text = bytes || isBytes, text || !isBytes
			j.add(p.stringValue(), p.tok.Span, p.tok.flags&flagUnicode != 0)
			p.next()
			continue
		case tokFStringStart:
			isTemplate := p.tok.flags&flagTemplate != 0
			formatted, template = formatted || !isTemplate, template || isTemplate
			p.formatted(&j)
			continue
		}
		break
	}
	switch {
	case template && (text || bytes || formatted):
		p.fail(Span{start, p.end()}, "cannot mix t-string literals with string or bytes literals")
	case bytes && (text || formatted):
		p.fail(Span{start, p.end()}, "cannot mix bytes and nonbytes literals")
	}
	if !formatted && !template {
		c := p.constants.new()
		c.Span, c.Kind, c.Value, c.Unicode = p.since(start), Str, j.value(), j.unicode
		if bytes {
			c.Kind, c.Unicode = Bytes, false
		}
		return c
	}
	p.flush(&j)
	values := p.exprs.take(mark)
	if template {
		return &TemplateStr{p.since(start), values}
	}
	return &JoinedStr{p.since(start), values}
}

// oneString parses a literal that stands alone, as most do.
func (p *parser) oneString() Expr {
	kind := Str
	if p.tok.flags&flagBytes != 0 {
		kind = Bytes
	}
	unicode := p.tok.flags&flagUnicode != 0
	c := p.constant(kind, p.stringValue())
	c.Unicode = unicode
	return c
}

// stringValue is the value of the current string token.
func (p *parser) stringValue() string {
	flags := p.tok.flags
	from, to := int(p.tok.Start), int(p.tok.End)
	for p.src[from] != '"' && p.src[from] != '\'' {
		from++
	}
	if flags&flagTriple != 0 {
		from, to = from+3, to-3
	} else {
		from, to = from+1, to-1
	}
	if flags&flagBytes != 0 {
		for _, c := range p.src[from:to] {
			if c >= 0x80 {
				p.fail(p.tok.Span, "bytes can only contain ASCII literal characters")
				return ""
			}
		}
	}
	if flags&(flagBackslash|flagReturn) == 0 {
		return p.text[from:to]
	}
	return p.unescape(p.text[from:to], flags)
}

// unescape decodes text and reports what it cannot.
func (p *parser) unescape(text string, flags tokenFlags) string {
	value, problem := unescape(text, flags)
	if problem != "" {
		p.fail(p.tok.Span, problem)
	}
	return value
}

// formatted parses an f-string or t-string. Its text goes to the joiner, its
// fields onto the stack.
func (p *parser) formatted(j *joiner) {
	f := fstring{flags: p.tok.flags}
	p.next()
	p.formattedText(j, f, false)
	p.expect(tokFStringEnd, f.what()+": expecting '}'")
}

// formattedText parses text and fields up to the end of the string or of the
// format specification.
func (p *parser) formattedText(j *joiner, f fstring, inSpec bool) {
	for {
		switch p.tok.Kind {
		case tokFStringMiddle:
			text := p.text[p.tok.Start:p.tok.End]
			flags := p.tok.flags
			if inSpec {
				flags &^= flagBraces
			}
			if flags&(flagBackslash|flagReturn|flagBraces) != 0 {
				text = p.unescape(text, flags)
			}
			if p.failed {
				return
			}
			j.add(text, p.tok.Span, false)
			p.next()
		case tokLBrace:
			p.field(j, f, inSpec)
		default:
			return
		}
	}
}

// field parses {value = !r :spec}. A = stands for the source of the value,
// which becomes text. The fields of a t-string are Interpolations, but those in
// a format specification are not.
func (p *parser) field(j *joiner, f fstring, inSpec bool) {
	open := p.tok
	p.next()
	var value Expr
	switch {
	case p.tok.Kind == tokYield:
		value = p.yield()
	case startsExpr[p.tok.Kind]:
		value = p.exprList()
	default:
		p.fail(p.tok.Span, f.what()+": valid expression required before '"+p.text[p.tok.Start:p.tok.End]+"'")
		return
	}
	exprEnd := p.end()
	debug := p.accept(tokEqual)
	textEnd := p.tok.Start
	conversion := p.conversion(f)
	var spec *JoinedStr
	if p.tok.Kind == tokColon {
		spec = p.formatSpec(f)
	}
	if p.tok.Kind != tokRBrace {
		if p.failed || p.forgottenComma() {
			return
		}
		p.fail(p.tok.Span, f.what()+": expecting '=', or '!', or ':', or '}'")
		return
	}
	p.next()
	if debug {
		j.add(p.sourceText(Span{open.End, textEnd}), Span{open.End, textEnd}, false)
		if conversion == 0 && spec == nil {
			conversion = 'r'
		}
	}
	p.flush(j)
	span := p.since(open.Start)
	if f.flags&flagTemplate != 0 && !inSpec {
		p.exprs.push(&Interpolation{span, value, p.sourceText(Span{open.End, exprEnd}), conversion, spec})
	} else {
		p.exprs.push(&FormattedValue{span, value, conversion, spec})
	}
}

// conversion parses !s, !r or !a.
func (p *parser) conversion(f fstring) byte {
	if p.tok.Kind != tokBang {
		return 0
	}
	end := p.tok.End
	p.next()
	switch {
	case p.tok.Kind == tokBad:
	case p.tok.Kind != tokName:
		p.fail(p.tok.Span, f.what()+": missing conversion character")
	case p.tok.Start != end:
		p.fail(p.tok.Span, f.what()+": conversion type must come right after the exclamation mark")
	default:
		name := p.identifier()
		if name == "s" || name == "r" || name == "a" {
			return name[0]
		}
		p.fail(p.toks[p.at-1].Span, f.what()+": invalid conversion character '"+name+"': expected 's', 'r', or 'a'")
	}
	return 0
}

// formatSpec parses what follows the colon of a field.
func (p *parser) formatSpec(f fstring) *JoinedStr {
	start := p.tok.Start
	p.next()
	mark := p.exprs.mark()
	var j joiner
	p.formattedText(&j, f, true)
	p.flush(&j)
	return &JoinedStr{p.since(start), p.exprs.take(mark)}
}

// sourceText is source that becomes a value as it stands, but with newlines as
// \n and without comments.
func (p *parser) sourceText(s Span) string {
	text := p.text[s.Start:s.End]
	for i := len(p.comments) - 1; i >= 0 && p.comments[i].End > s.Start; i-- {
		if c := p.comments[i]; c.End <= s.End {
			text = text[:c.Start-s.Start] + text[c.End-s.Start:]
		}
	}
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return text
}
