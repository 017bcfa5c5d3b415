package pysrc

import (
	"slices"
	"sort"
	"sync"
)

// parser is a recursive descent parser with one token of lookahead, and a
// look further down the logical line where Python's grammar needs it.
//
// An error poisons the current token: nothing in the grammar matches tokBad,
// so that every loop ends and every function returns, up to the statement,
// where recovery starts. What was parsed on the way is dropped.
type parser struct {
	lexer
	arena
	tok    token // toks[at], or poison
	at     int
	failed bool
	trying bool // errors are not kept
	depth  int
	// lastEnd is the end of the last line's last token, the semicolon
	// included: that is where a statement with blocks ends.
	lastEnd int32
	// badStart is where the statement or clause starts that is being parsed.
	badStart int32

	longest  int // longest chain of operators, calls or elifs, which nest without recursion
	lines    []int32
	restarts int // times the lexer was sent back to a physical line
	work     int // tokens read; tests see that it grows with the file and not faster
	raised   int // index of the fault CPython would raise; -1 while open

	// The tokens of the last expression that was read, without its lambda or
	// condition; see forgottenComma.
	exprFrom, exprTo int
	namedTo          int                    // where the last one ended that could have had a :=
	wanted           func(name string) bool // of an outline: see Outline
	found            bool                   // and one is there
	// none stands for an expression that does not parse; its statement is dropped.
	none Name
}

// maxDepth is how deep expressions and patterns may nest.
// CPython gives up earlier or later, depending on its version.
const maxDepth = 1500

var (
	parsers = sync.Pool{New: func() any { return new(parser) }}
	apart   = sync.Pool{New: func() any { return new(parser) }}
)

// Parse reads a file. It always returns a File with a Module, however broken
// the source; File.Errors tells what is wrong. The source must not be changed
// while the file or any string from it is in use.
func Parse(path string, src []byte) *File { return parseIn(&parsers, path, src) }

// ParseApart is Parse for a file whose tree is soon dropped. Its nodes get memory of their own: shared with other files, it could
// not be freed before those are dropped, too.
func ParseApart(path string, src []byte) *File { return parseIn(&apart, path, src) }

func parseIn(pool *sync.Pool, path string, src []byte) *File {
	decoded := decode(src)
	f := &File{
		Path:       path,
		Src:        decoded.text,
		Encoding:   decoded.encoding,
		LineStarts: lineStarts(decoded.text, decoded.bom),
		Module:     &Module{Span: Span{0, int32(len(decoded.text))}},
	}
	if decoded.unreadable {
		f.setErrors(decoded.faults, 0)
		return f
	}
	p := pool.Get().(*parser)
	p.reset(decoded, f.LineStarts)
	f.Module.Body = p.file()
	f.Comments = slices.Clone(p.comments)
	f.setErrors(p.faults, p.cpythonFault())
	p.release()
	pool.Put(p)
	return f
}

func (p *parser) reset(s source, lines []int32) {
	p.start(s)
	p.lines = lines
	p.failed, p.trying, p.depth, p.longest, p.restarts, p.work, p.raised = false, false, 0, 0, 0, 0, -1
}

// release forgets the file, so that a parser at rest keeps nothing alive.
func (p *parser) release() {
	p.src, p.text, p.faults, p.lines = nil, "", nil, nil
	p.none = Name{}
	p.arena.reset()
}

// setErrors gives faults their lines and sorts them by place.
func (f *File) setErrors(faults []fault, primary int) {
	if len(faults) == 0 {
		return
	}
	first := faults[primary]
	sort.SliceStable(faults, func(i, j int) bool { return faults[i].Start < faults[j].Start })
	for i, fault := range faults {
		if fault == first {
			f.primary = i
		}
		// At the end of the file, the last line is the one that has text.
		if n := int32(len(f.Src)); fault.Start == n && n > 0 && class[f.Src[n-1]] == classNewline {
			fault.Start--
		}
		f.Errors = append(f.Errors, SyntaxError{fault.Span, f.Position(fault.Start), fault.message})
	}
}

// file parses all statements.
func (p *parser) file() []Stmt {
	p.nextLine()
	mark := p.stmts.mark()
	for p.tok.Kind != tokEOF {
		p.statement()
	}
	return p.limitDepth(p.stmts.take(mark))
}

// nextLine reads the next logical line.
func (p *parser) nextLine() {
	p.lastEnd = p.end()
	p.line()
	p.work += len(p.toks)
	if p.wanted != nil && !p.found {
		p.look()
	}
	p.exprTo, p.namedTo = -1, -1
	p.at = 0
	p.tok = p.toks[0]
}

// next goes to the next token of the line. It is only called on a token that
// was matched, hence never at the newline that ends the line.
func (p *parser) next() {
	p.at++
	p.tok = p.toks[p.at]
}

// peek is the kind of the token after the current one.
func (p *parser) peek() Kind {
	if p.at+1 < len(p.toks) {
		return p.toks[p.at+1].Kind
	}
	return tokEOF
}

// end is the end of the last token that was consumed.
func (p *parser) end() int32 {
	if p.at == 0 {
		return p.tok.Start
	}
	return p.toks[p.at-1].End
}

// since is the span from start to the last token that was consumed.
func (p *parser) since(start int32) Span { return Span{start, p.end()} }

// upTo is the span of a statement with blocks: to the end of the last line, or
// of what was read of a line that failed.
func (p *parser) upTo(start int32) Span {
	if p.failed && !p.atLineStart() {
		return Span{start, max(start, p.end())}
	}
	return Span{start, max(start, p.lastEnd)}
}

// accept consumes the token if it is of that kind.
func (p *parser) accept(kind Kind) bool {
	if p.tok.Kind == kind {
		p.next()
		return true
	}
	return false
}

// expect consumes a token that must be there.
func (p *parser) expect(kind Kind, message string) {
	if p.tok.Kind == kind {
		p.next()
		return
	}
	p.fail(p.tok.Span, message)
}

// need consumes a token that must be there, and has no message of its own.
func (p *parser) need(kind Kind) {
	if p.tok.Kind == kind {
		p.next()
		return
	}
	p.unexpected()
}

// unexpected is an error at the current token.
func (p *parser) unexpected() {
	if !p.failed && !p.forgottenComma() && !p.misplacedEqual() {
		p.fail(p.tok.Span, "invalid syntax")
	}
}

// fail notes an error and poisons the current token. Only the first error of a
// statement is kept: the others follow from it.
func (p *parser) fail(at Span, message string) { p.failAs(faultGrammar, at, message) }

func (p *parser) failAs(kind faultKind, at Span, message string) {
	if p.failed {
		return
	}
	p.failed = true
	// The lexer has told what is wrong with its bad tokens.
	if p.tok.Kind != tokBad && len(p.faults) <= maxFaults {
		p.faults = append(p.faults, fault{at, message, kind, p.toks[p.at].Start})
	}
	p.tok.Kind = tokBad
}

// enter and leave bound the recursion.
func (p *parser) enter() bool {
	if p.depth >= maxDepth {
		p.fail(p.tok.Span, "too many nested expressions")
		return false
	}
	p.depth++
	return true
}

func (p *parser) leave() { p.depth-- }

// chained notes the length of a chain that nests without recursion.
func (p *parser) chained(length int) {
	if length > p.longest {
		p.longest = length
	}
}

// identifier consumes a name.
func (p *parser) identifier() string {
	if p.tok.Kind != tokName {
		p.unexpected()
		return ""
	}
	name := p.tokenName()
	p.next()
	return name
}

// tokenName is the identifier that the current token spells.
func (p *parser) tokenName() string {
	name := p.text[p.tok.Start:p.tok.End]
	if p.tok.flags&flagNonASCII != 0 {
		name = normalName(name)
	}
	return name
}

// isWord reports whether the current token is that soft keyword.
func (p *parser) isWord(word string) bool {
	return p.tok.Kind == tokName && p.text[p.tok.Start:p.tok.End] == word
}
