package pysrc

// slab hands out nodes of one type from chunks, which costs a tenth of
// allocating each. A chunk lives as long as any node in it.
type slab[T any] struct {
	free []T
}

const slabSize = 128

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.free = make([]T, slabSize)
	}
	n := &s.free[0]
	s.free = s.free[1:]
	return n
}

// list collects elements on a stack, as lists nest, and hands each finished
// list out in a slice of its own that is cut from a larger one.
type list[T any] struct {
	stack []T
	free  []T
}

const listSize = 512

func (l *list[T]) mark() int { return len(l.stack) }

func (l *list[T]) push(v T) { l.stack = append(l.stack, v) }

// take returns what was pushed since the mark.
func (l *list[T]) take(mark int) []T {
	n := len(l.stack) - mark
	if n == 0 {
		return nil
	}
	if n > len(l.free) {
		if n > listSize/4 {
			out := make([]T, n)
			copy(out, l.stack[mark:])
			l.stack = l.stack[:mark]
			return out
		}
		l.free = make([]T, listSize)
	}
	out := l.free[:n:n]
	l.free = l.free[n:]
	copy(out, l.stack[mark:])
	l.stack = l.stack[:mark]
	return out
}

// drop forgets what was pushed since the mark.
func (l *list[T]) drop(mark int) { l.stack = l.stack[:mark] }

// clear lets the garbage collector have what the stack once held.
func (l *list[T]) clear() {
	clear(l.stack[:cap(l.stack)])
	l.stack = l.stack[:0]
}

// arena is where the parser allocates: slabs for the nodes that are many.
// Whatever is left in it serves the next file.
type arena struct {
	names      slab[Name]
	attributes slab[Attribute]
	calls      slab[Call]
	constants  slab[Constant]
	keywords   slab[Keyword]
	subscripts slab[Subscript]
	tuples     slab[Tuple]
	binOps     slab[BinOp]
	compares   slab[Compare]
	args       slab[Arg]
	exprStmts  slab[ExprStmt]
	assigns    slab[Assign]
	ifs        slab[If]
	returns    slab[Return]
	functions  slab[FunctionDef]
	arguments  slab[Arguments]

	exprs       list[Expr]
	stmts       list[Stmt]
	keywordList list[*Keyword]
	argList     list[*Arg]
	cmpOps      list[CmpOp]
}
