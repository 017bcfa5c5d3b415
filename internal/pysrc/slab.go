package pysrc

import "unsafe"

// slab hands out nodes of one type from chunks, which costs a fraction of
// allocating each. What one file leaves of a chunk the next one uses, and a chunk
// lives as long as any node in it: little for who keeps one file, nothing for who
// keeps them all. Chunks start small, for who reads a single file.
type slab[T any] struct {
	free  []T
	chunk []T // the one that free is the rest of
	size  int
}

const (
	firstChunk = 8
	chunkBytes = 8<<10 - 8 // with the 8 bytes that Go puts before it, an allocation that leaves no room unused
)

// lastChunk is how many nodes of a type the largest chunk holds.
func lastChunk[T any]() int { return chunkBytes / int(unsafe.Sizeof(*new(T))) }

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.size = min(max(2*s.size, firstChunk), lastChunk[T]())
		s.chunk = make([]T, s.size)
		s.free = s.chunk
	}
	n := &s.free[0]
	s.free = s.free[1:]
	return n
}

// rewind hands the nodes of the last chunk out again: nobody uses those that were handed out.
func (s *slab[T]) rewind() {
	clear(s.chunk[:len(s.chunk)-len(s.free)])
	s.free = s.chunk
}

// list collects elements on a stack, as lists nest, and hands each finished
// list out in a slice of its own that is cut from a larger one.
type list[T any] struct {
	stack []T
	free  []T
	chunk []T // the one that free is the rest of
	size  int
}

func (l *list[T]) mark() int { return len(l.stack) }

func (l *list[T]) push(v T) { l.stack = append(l.stack, v) }

// take returns what was pushed since the mark.
func (l *list[T]) take(mark int) []T {
	n := len(l.stack) - mark
	if n == 0 {
		return nil
	}
	if n > len(l.free) {
		l.size = min(max(2*l.size, 4*firstChunk), lastChunk[T]())
		l.chunk = make([]T, max(l.size, n))
		l.free = l.chunk
	}
	out := l.free[:n:n]
	l.free = l.free[n:]
	copy(out, l.stack[mark:])
	l.drop(mark)
	return out
}

// rewind hands the last chunk out again: nobody uses the lists that were cut from it.
func (l *list[T]) rewind() {
	clear(l.chunk[:len(l.chunk)-len(l.free)])
	l.free = l.chunk
}

// drop forgets what was pushed since the mark.
func (l *list[T]) drop(mark int) { l.stack = l.stack[:mark] }

// reset lets go of the file's elements.
func (l *list[T]) reset() {
	clear(l.stack[:cap(l.stack)])
	l.stack = l.stack[:0]
}

// arena is where the parser allocates: slabs for the nodes that are many.
type arena struct {
	exprs       list[Expr]
	stmts       list[Stmt]
	keywordList list[*Keyword]
	argList     list[*Arg]
	aliasList   list[*Alias]
	cmpOps      list[CmpOp]

	names       slab[Name]
	attributes  slab[Attribute]
	calls       slab[Call]
	constants   slab[Constant]
	keywords    slab[Keyword]
	subscripts  slab[Subscript]
	tuples      slab[Tuple]
	binOps      slab[BinOp]
	compares    slab[Compare]
	args        slab[Arg]
	exprStmts   slab[ExprStmt]
	assigns     slab[Assign]
	ifs         slab[If]
	returns     slab[Return]
	functions   slab[FunctionDef]
	arguments   slab[Arguments]
	classes     slab[ClassDef]
	imports     slab[Import]
	importFroms slab[ImportFrom]
	aliases     slab[Alias]
}

// rewind makes all memory available again; nobody may use the tree of the file any more.
func (a *arena) rewind() {
	a.exprs.rewind()
	a.stmts.rewind()
	a.keywordList.rewind()
	a.argList.rewind()
	a.aliasList.rewind()
	a.cmpOps.rewind()
	a.names.rewind()
	a.attributes.rewind()
	a.calls.rewind()
	a.constants.rewind()
	a.keywords.rewind()
	a.subscripts.rewind()
	a.tuples.rewind()
	a.binOps.rewind()
	a.compares.rewind()
	a.args.rewind()
	a.exprStmts.rewind()
	a.assigns.rewind()
	a.ifs.rewind()
	a.returns.rewind()
	a.functions.rewind()
	a.arguments.rewind()
	a.classes.rewind()
	a.imports.rewind()
	a.importFroms.rewind()
	a.aliases.rewind()
}

// reset makes the arena ready for another file.
func (a *arena) reset() {
	a.exprs.reset()
	a.stmts.reset()
	a.keywordList.reset()
	a.argList.reset()
	a.aliasList.reset()
	a.cmpOps.reset()
}
