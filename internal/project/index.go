package project

import (
	"slices"
	"strings"
	"sync"

	"saturate/internal/pysrc"
)

// index makes the module's scopes, blocks, functions, classes and call sites in
// one pass over its tree.
func (m *Module) index() {
	m.Scope = &Scope{Module: m}
	m.Main = &Function{Module: m, Scope: m.Scope}
	m.Functions = append(m.Functions, m.Main)
	room, used := m.rooms().Get().(*indexRoom)
	if !used {
		room = &indexRoom{}
	}
	ix := &indexer{m: m, scope: m.Scope, fn: m.Main, block: -1, indexRoom: room}
	m.blocks, m.Sites, m.Tests, m.Subscripts = ix.blocks, ix.calls, ix.tests, ix.subscripts
	ix.block = ix.open(m.File.Module, Body, pysrc.Span{Start: 0, End: int32(len(m.Text)) + 1})
	ix.stmts(m.File.Module.Body)
	ix.done()
}

// indexer is where the pass stands.
type indexer struct {
	m       *Module
	scope   *Scope
	fn      *Function
	class   *Class // whose body it is in, not in a method
	block   BlockID
	globals map[string]bool // declared global or nonlocal in fn
	*indexRoom
}

// indexRoom is where the lists of a module grow, and what is left of the chunks
// in which sites and bindings are allocated, for the next module.
type indexRoom struct {
	blocks     []Block
	calls      []*Site
	tests      []pysrc.Expr
	subscripts []*pysrc.Subscript
	sites      []Site
	binds      []Binding
}

// Outlines have rooms of their own, because they are all dropped later.
var indexRooms, outlineRooms sync.Pool

func (m *Module) rooms() *sync.Pool {
	if m.Outline {
		return &outlineRooms
	}
	return &indexRooms
}

// done gives the module its lists, each as long as it is, and each function its calls.
func (ix *indexer) done() {
	m, room := ix.m, ix.indexRoom
	m.blocks, room.blocks = slices.Clone(m.blocks), m.blocks[:0]
	m.Sites, room.calls = slices.Clone(m.Sites), m.Sites[:0]
	m.Tests, room.tests = slices.Clone(m.Tests), m.Tests[:0]
	m.Subscripts, room.subscripts = slices.Clone(m.Subscripts), m.Subscripts[:0]
	m.rooms().Put(room)
	for _, s := range m.Sites {
		s.Func.calls++
	}
	lists := make([]*Site, len(m.Sites))
	for _, s := range m.Sites {
		if s.Func.Sites == nil {
			s.Func.Sites, lists = lists[:0:s.Func.calls], lists[s.Func.calls:]
		}
		s.Func.Sites = append(s.Func.Sites, s)
	}
}

func (ix *indexer) open(owner pysrc.Node, arm Arm, span pysrc.Span) BlockID {
	ix.m.blocks = append(ix.m.blocks, Block{Span: span, Parent: ix.block, Owner: owner, Arm: arm, Func: ix.fn, Scope: ix.scope})
	return BlockID(len(ix.m.blocks) - 1)
}

// arm walks the statements of one arm as a block of their own.
func (ix *indexer) arm(owner pysrc.Node, arm Arm, body []pysrc.Stmt) {
	if len(body) == 0 {
		return
	}
	outer := ix.block
	ix.block = ix.open(owner, arm, pysrc.Span{Start: startOf(body[0]), End: body[len(body)-1].Bounds().End})
	ix.stmts(body)
	ix.block = outer
}

// startOf is where a statement starts, its decorators included.
func startOf(s pysrc.Stmt) int32 {
	var decorators []pysrc.Expr
	switch s := s.(type) {
	case *pysrc.FunctionDef:
		decorators = s.Decorators
	case *pysrc.ClassDef:
		decorators = s.Decorators
	}
	if len(decorators) > 0 {
		return decorators[0].Bounds().Start - 1 // the @
	}
	return s.Bounds().Start
}

func (ix *indexer) stmts(list []pysrc.Stmt) {
	for _, s := range list {
		ix.stmt(s)
	}
}

func (ix *indexer) with(s *pysrc.With) {
	for _, item := range s.Items {
		ix.expr(item.Context)
		if item.Vars != nil {
			ix.target(item.Vars)
			ix.assign(item.Vars, item.Context, nil, s, item.End, Entered, 0)
		}
	}
	ix.arm(s, Body, s.Body)
}

func (ix *indexer) try(s *pysrc.Try) {
	ix.arm(s, Body, s.Body)
	for _, h := range s.Handlers {
		if h.Type != nil {
			ix.expr(h.Type)
		}
		if h.Name != "" {
			ix.bind(Binding{Name: h.Name, Kind: Caught, At: h.Start, Node: h})
		}
		ix.arm(s, Handler, h.Body)
	}
	ix.arm(s, Else, s.Orelse)
	ix.arm(s, Finally, s.Finalbody)
}

func (ix *indexer) importFrom(s *pysrc.ImportFrom) {
	for _, a := range s.Names {
		if a.Name == "*" {
			ix.m.stars = append(ix.m.stars, s)
			continue
		}
		ix.imported(a, a.Name, &defined{from: s})
	}
}

// imported binds the name that an import gives: the one behind as, or its own.
func (ix *indexer) imported(a *pysrc.Alias, name string, from *defined) {
	if a.Asname != "" {
		name = a.Asname
	}
	ix.bind(Binding{Name: name, Kind: Imported, At: a.End, Node: a, defined: from})
}

func (ix *indexer) stmt(s pysrc.Stmt) {
	switch s := s.(type) {
	case *pysrc.ExprStmt:
		ix.expr(s.Value)
	case *pysrc.Assign:
		for _, t := range s.Targets {
			ix.target(t)
		}
		ix.expr(s.Value)
		for _, t := range s.Targets {
			ix.assign(t, s.Value, nil, s, s.End, Assigned, 0)
		}
	case *pysrc.AnnAssign:
		ix.target(s.Target)
		ix.expr(s.Annotation)
		kind := Annotated
		if s.Value != nil {
			ix.expr(s.Value)
			kind = Assigned
		}
		ix.assign(s.Target, s.Value, s.Annotation, s, s.End, kind, 0)
	case *pysrc.AugAssign:
		ix.target(s.Target)
		ix.expr(s.Value)
		ix.assign(s.Target, s.Value, nil, s, s.End, Augmented, 0)
		if s.Op == pysrc.BitOr {
			ix.change(s.Target, change{at: s.End, other: s.Value})
		}
	case *pysrc.Return:
		if s.Value != nil {
			ix.expr(s.Value)
			ix.fn.returns = append(ix.fn.returns, s.Value)
		}
	case *pysrc.If:
		ix.test(s.Test)
		if ix.block == 0 && IsMainGuard(s.Test) {
			ix.m.MainGuard = true
		}
		ix.arm(s, Body, s.Body)
		ix.arm(s, Else, s.Orelse)
	case *pysrc.For:
		ix.target(s.Target)
		ix.expr(s.Iter)
		ix.assign(s.Target, s.Iter, nil, s, s.Iter.Bounds().End, Iterated, 0)
		ix.arm(s, Body, s.Body)
		ix.arm(s, Else, s.Orelse)
	case *pysrc.While:
		ix.test(s.Test)
		ix.arm(s, Body, s.Body)
		ix.arm(s, Else, s.Orelse)
	case *pysrc.With:
		ix.with(s)
	case *pysrc.Try:
		ix.try(s)
	case *pysrc.FunctionDef:
		ix.function(s)
	case *pysrc.ClassDef:
		ix.classDef(s)
	case *pysrc.Import:
		for _, a := range s.Names {
			name, _, _ := strings.Cut(a.Name, ".")
			ix.imported(a, name, &defined{})
		}
	case *pysrc.ImportFrom:
		ix.importFrom(s)
	case *pysrc.Global:
		ix.declare(s.Names)
	case *pysrc.Nonlocal:
		ix.declare(s.Names)
	case *pysrc.Match:
		ix.expr(s.Subject)
		for _, c := range s.Cases {
			ix.pattern(c.Pattern)
			if c.Guard != nil {
				ix.expr(c.Guard)
			}
			ix.arm(c, Body, c.Body)
		}
	case *pysrc.Delete:
		for _, t := range s.Targets {
			ix.target(t)
		}
	case *pysrc.Assert:
		ix.test(s.Test)
		if s.Msg != nil {
			ix.expr(s.Msg)
		}
	case *pysrc.BadStmt:
		ix.stmts(s.Body)
	default:
		pysrc.Children(s, ix.child)
	}
}

func (ix *indexer) test(x pysrc.Expr) {
	ix.m.Tests = append(ix.m.Tests, x)
	ix.expr(x)
}

func (ix *indexer) declare(names []string) {
	if ix.globals == nil {
		ix.globals = map[string]bool{}
	}
	for _, n := range names {
		ix.globals[n] = true
	}
}

func (ix *indexer) bind(b Binding) {
	if len(ix.binds) == 0 {
		ix.binds = make([]Binding, perChunk[Binding]())
	}
	p := &ix.binds[0]
	ix.binds = ix.binds[1:]
	*p = b
	p.Block = ix.block
	p.number = int32(ix.m.bindings)
	ix.m.bindings++
	if b.Kind == Imported {
		ix.m.imported = append(ix.m.imported, p)
	}
	if ix.globals[b.Name] {
		for s := ix.scope.Parent; s != nil; s = s.Parent {
			if s.Class == nil && (s.Parent == nil || s.last(b.Name) != nil) {
				s.bind(p)
				return
			}
		}
	}
	ix.scope.bind(p)
}

// assign binds the names of a target; path is the place in an unpacked value.
func (ix *indexer) assign(t, value, annotation pysrc.Expr, node pysrc.Node, at int32, kind BindingKind, path trail) {
	switch t := t.(type) {
	case *pysrc.Name:
		ix.bind(Binding{Name: t.ID, Kind: kind, At: at, Node: node, Value: value, path: path})
	case *pysrc.Tuple:
		ix.unpack(t.Elts, value, node, at, kind, path)
	case *pysrc.List:
		ix.unpack(t.Elts, value, node, at, kind, path)
	case *pysrc.Starred:
		ix.assign(t.Value, value, nil, node, at, kind, path.then(-1))
	case *pysrc.Attribute:
		if self, ok := t.Value.(*pysrc.Name); ok && ix.fn.Class != nil && kind != Augmented && self.ID == ix.fn.Self() {
			c := ix.fn.Class
			if c.attrs == nil {
				c.attrs = map[string][]attr{}
			}
			c.attrs[t.Attr] = append(c.attrs[t.Attr], attr{fn: ix.fn, at: at, value: value, annotation: annotation, path: path, kind: kind, block: ix.block})
		} else if ok && ix.fn.Class != nil && kind == Augmented && self.ID == ix.fn.Self() && ix.fn.BaseName() != "__init__" {
			ix.fn.Class.counts(t.Attr)
		}
		ix.store(t, part(value, path), kind)
	case *pysrc.Subscript:
		ix.store(t, part(value, path), kind)
		put := change{at: at, key: t.Slice}
		if kind == Assigned && path == 0 {
			put.value = value
		}
		ix.change(t.Value, put)
	}
}

func (ix *indexer) store(t, value pysrc.Expr, kind BindingKind) {
	if value != nil && (kind == Assigned || kind == Augmented) {
		ix.m.Assignments = append(ix.m.Assignments, &Assignment{
			Module: ix.m, Func: ix.fn, Block: ix.block, Target: t, Value: value, Augmented: kind == Augmented,
		})
	}
}

// part is what stands at a path of a tuple or list that is written out, the whole where it is not.
func part(value pysrc.Expr, path trail) pysrc.Expr {
	for x := value; ; path = path.rest() {
		if path == 0 {
			return x
		}
		elts, i := elements(x), path.first()
		if i < 0 || i >= len(elts) {
			return value
		}
		x = elts[i]
	}
}

func (ix *indexer) unpack(elts []pysrc.Expr, value pysrc.Expr, node pysrc.Node, at int32, kind BindingKind, path trail) {
	for i, e := range elts {
		ix.assign(e, value, nil, node, at, kind, path.then(i))
	}
}

func (ix *indexer) pattern(p pysrc.Pattern) {
	pysrc.Inspect(p, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.MatchAs:
			if n.Name != "" {
				ix.bind(Binding{Name: n.Name, Kind: Caught, At: n.End, Node: n})
			}
		case *pysrc.MatchStar:
			if n.Name != "" {
				ix.bind(Binding{Name: n.Name, Kind: Caught, At: n.End, Node: n})
			}
		case pysrc.Expr:
			ix.expr(n)
			return false
		}
		return true
	})
}

// IsMainGuard reports __name__ == "__main__".
func IsMainGuard(test pysrc.Expr) bool {
	c, ok := test.(*pysrc.Compare)
	if !ok || len(c.Comparators) != 1 {
		return false
	}
	name, ok := c.Left.(*pysrc.Name)
	value, isString := pysrc.StringValue(c.Comparators[0])
	return ok && name.ID == "__name__" && isString && value == "__main__"
}
