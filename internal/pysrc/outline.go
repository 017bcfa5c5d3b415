package pysrc

import (
	"sync"
	"unicode/utf8"
)

// Outline reads a file as Parse does, but of a function or class only its head: the body is one Pass. It stops and
// returns false when wanted accepts an identifier, wherever in the code that stands, or when the file is not valid Python
// as far as it was read: then it is to be read in full. Reading an outline costs little more than cutting the text into
// tokens, and nothing of it stays in memory: use gets the tree, which is valid until it returns. The file has no LineStarts.
func Outline(path string, src []byte, wanted func(name string) bool, use func(*File)) bool {
	decoded := decode(src)
	if decoded.unreadable {
		return false
	}
	p := outliners.Get().(*parser)
	f := &File{
		Path: path, Src: decoded.text, Encoding: decoded.encoding, Module: &Module{Span: Span{0, int32(len(decoded.text))}},
	}
	p.reset(decoded, nil)
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
			p.skipLine(depth)
		}
	}
	mark := p.stmts.mark()
	p.stmts.push(pass)
	return p.stmts.take(mark)
}

// skipLine is nextLine within that many blocks which are skipped. Of a line that ends all of them, the tokens are needed.
func (p *parser) skipLine(depth int) {
	p.lastEnd = p.end()
	if p.startLine() {
		for i := range p.toks {
			if p.toks[i].Kind == tokDedent {
				depth--
			}
		}
		if depth > 0 {
			p.skim()
		} else {
			p.lexer.tokens()
		}
	}
	p.work += len(p.toks)
	if !p.found {
		p.look()
	}
	p.exprTo, p.namedTo = -1, -1
	p.at = 0
	p.tok = p.toks[0]
}

// skim is tokens for a line of which only the faults and the wanted names count: names and most operators leave no token.
func (p *parser) skim() {
	src, last := p.src, p.pos
	for p.pos < len(src) {
		c := src[p.pos]
		if len(p.fstrings) > 0 { // whose fields have rules of their own
			p.lexer.tokens()
			return
		}
		switch class[c] {
		case classSpace:
			p.pos++
			continue
		case className:
			if p.skimName() {
				return
			}
		case classNewline:
			if len(p.brackets) == 0 {
				p.lexer.emit(tokPass, last, last) // what ends here tells the parser where
				p.lexer.emit(tokNewline, p.pos, p.pos+1)
				p.lexer.newline()
				return
			}
			p.lexer.newline()
			continue
		case classComment:
			p.lexer.comment()
			continue
		case classDigit:
			p.lexer.number()
		case classQuote:
			p.lexer.quoted(p.pos, p.pos, 0)
		case classBackslash:
			if p.lexer.continuation(); p.broken {
				return
			}
			continue
		case classOperator:
			switch c {
			case ',', '=', ':', '+', '-', '*', '/':
				p.pos++
			default:
				p.lexer.operator(c)
			}
		default:
			p.lexer.other(c)
		}
		if p.broken {
			return
		}
		last = p.pos
	}
	p.lexer.emit(tokPass, last, last)
	p.lexer.endOfFile()
}

// skimName reads a name, or a string with a prefix. A name that is wanted ends the file.
func (p *parser) skimName() bool {
	src, start := p.src, p.pos
	end := start
	for end < len(src) && class[src[end]] <= classDigit && src[end] < utf8.RuneSelf {
		end++
	}
	if end < len(src) && (src[end] >= utf8.RuneSelf || class[src[end]] == classQuote && end-start <= 2) {
		p.lexer.name()
		return false
	}
	p.pos = end
	if p.found || !p.wanted(p.text[start:end]) {
		return false
	}
	p.found = true
	p.src = src[:end]
	p.lexer.emit(tokNewline, end, end)
	return true
}
