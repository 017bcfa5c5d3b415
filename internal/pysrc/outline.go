package pysrc

import "sync"

// Outline reads a file as Parse does, but of a function or class only its head: the body is one Pass. It stops and
// returns false when wanted accepts an identifier, wherever in the code that stands, or when the file is not valid Python
// as far as it was read: then it is to be read in full. Reading an outline costs little more than cutting the text into
// tokens, and nothing of it stays in memory: use gets the tree, which is valid until it returns.
func Outline(path string, src []byte, wanted func(name string) bool, use func(*File)) bool {
	decoded := decode(src)
	if decoded.unreadable {
		return false
	}
	p := outliners.Get().(*parser)
	p.lineRoom = appendLineStarts(p.lineRoom[:0], decoded.text, decoded.bom)
	f := &File{
		Path: path, Src: decoded.text, Encoding: decoded.encoding, LineStarts: p.lineRoom,
		Module: &Module{Span: Span{0, int32(len(decoded.text))}},
	}
	p.reset(decoded, f.LineStarts)
	p.wanted = wanted
	f.Module.Body = p.file()
	valid := len(p.faults) == 0 && !p.found
	if valid {
		use(f)
	}
	p.wanted, p.found = nil, false
	p.release()
	p.arena.rewind()
	outliners.Put(p)
	return valid
}

// outliners are parsers whose nodes are used again for each file.
var outliners = sync.Pool{New: func() any { return new(parser) }}

// look asks whether an identifier of the line is wanted. From the first that is, the rest of the file is left out.
func (p *parser) look() {
	for i := range p.toks {
		if t := &p.toks[i]; t.Kind == tokName && p.wanted(p.text[t.Start:t.End]) {
			p.found = true
			p.src = p.src[:p.pos]
			return
		}
	}
}

// skip steps over the lines of a block, its dedent included, and gives a Pass for them.
func (p *parser) skip() []Stmt {
	pass := &Pass{Span: Span{p.tok.Start, p.tok.Start}}
	for depth := 1; depth > 0; {
		switch p.tok.Kind {
		case tokEOF:
			depth = 0
		case tokIndent:
			depth++
			p.next()
		case tokDedent:
			depth--
			p.next()
		default:
			p.at = len(p.toks) - 1
			p.tok = p.toks[p.at]
			p.nextLine()
		}
	}
	mark := p.stmts.mark()
	p.stmts.push(pass)
	return p.stmts.take(mark)
}
