package project

import (
	"strings"

	"saturate/internal/pysrc"
)

func (ix *indexer) child(n pysrc.Node) {
	switch n := n.(type) {
	case pysrc.Expr:
		ix.expr(n)
	case pysrc.Stmt:
		ix.stmt(n)
	default:
		pysrc.Children(n, ix.child)
	}
}

// target walks the parts of an assignment's target that are read.
func (ix *indexer) target(t pysrc.Expr) {
	switch t := t.(type) {
	case *pysrc.Name:
	case *pysrc.Attribute:
		ix.expr(t.Value)
	case *pysrc.Subscript:
		ix.subscript(t)
	default:
		pysrc.Children(t, func(n pysrc.Node) {
			if e, ok := n.(pysrc.Expr); ok {
				ix.target(e)
			}
		})
	}
}

// expr records the calls, lambdas and comprehensions of an expression.
func (ix *indexer) expr(e pysrc.Expr) {
	switch e := e.(type) {
	case *pysrc.Name:
	case *pysrc.Constant:
		if e.Kind == pysrc.Str && len(e.Value) < 12 && isDeviceString(e.Value) {
			ix.m.devices = append(ix.m.devices, e.Span)
		}
	case *pysrc.Attribute:
		ix.expr(e.Value)
	case *pysrc.Call:
		ix.site(e)
		ix.changedBy(e)
		ix.expr(e.Func)
		ix.arguments(e.Args, e.Keywords)
	case *pysrc.Lambda:
		ix.lambda(e)
	case *pysrc.NamedExpr:
		ix.expr(e.Value)
		ix.assign(e.Target, e.Value, nil, e, e.End, Assigned, 0)
	case *pysrc.ListComp:
		ix.comprehension(e, e.Generators, e.Elt, nil)
	case *pysrc.SetComp:
		ix.comprehension(e, e.Generators, e.Elt, nil)
	case *pysrc.GeneratorExp:
		ix.comprehension(e, e.Generators, e.Elt, nil)
	case *pysrc.DictComp:
		ix.comprehension(e, e.Generators, e.Key, e.Value)
	case *pysrc.Yield:
		if e.Value != nil {
			ix.expr(e.Value)
			ix.fn.yields = append(ix.fn.yields, e.Value)
		}
	case *pysrc.YieldFrom:
		ix.expr(e.Value)
		ix.fn.yields = append(ix.fn.yields, e)
	case *pysrc.BinOp:
		ix.expr(e.Left)
		ix.expr(e.Right)
	case *pysrc.Subscript:
		ix.subscript(e)
	case *pysrc.IfExp:
		ix.expr(e.Body)
		ix.test(e.Test)
		ix.expr(e.Orelse)
	default:
		pysrc.Children(e, ix.child)
	}
}

func (ix *indexer) subscript(s *pysrc.Subscript) {
	ix.m.Subscripts = append(ix.m.Subscripts, s)
	ix.expr(s.Value)
	ix.expr(s.Slice)
}

// arguments walks them in source order: f(a=1, *rest) has them mixed.
func (ix *indexer) arguments(args []pysrc.Expr, keywords []*pysrc.Keyword) {
	for _, a := range args {
		for len(keywords) > 0 && keywords[0].Start < a.Bounds().Start {
			ix.expr(keywords[0].Value)
			keywords = keywords[1:]
		}
		ix.expr(a)
	}
	for _, k := range keywords {
		ix.expr(k.Value)
	}
}

func (ix *indexer) site(c *pysrc.Call) {
	if len(ix.sites) == 0 {
		ix.sites = make([]Site, perChunk[Site]())
	}
	s := &ix.sites[0]
	ix.sites = ix.sites[1:]
	*s = Site{Node: c, Func: ix.fn, Block: ix.block, Calls: pending}
	c.Number = int32(len(ix.m.Sites))
	ix.m.Sites = append(ix.m.Sites, s)
	f, ok := c.Func.(*pysrc.Name)
	switch {
	case !ok:
	case f.ID == "exec" && ix.fn == ix.m.Main:
		ix.m.executes = true
	case f.ID == "setattr" && len(c.Args) == 3:
		ix.setattr(c)
	}
}

// setattr takes setattr(torch.backends.cudnn, "benchmark", False) for an assignment to the attribute.
func (ix *indexer) setattr(c *pysrc.Call) {
	name, ok := pysrc.StringValue(c.Args[1])
	object, dotted := c.Args[0].(*pysrc.Attribute)
	if ok && dotted {
		ix.store(&pysrc.Attribute{Span: c.Span, Value: object, Attr: name}, c.Args[2], Assigned)
	}
}

// comprehension walks a comprehension as a block that runs for every element. Its names are bound in the function
// around it; no rule needs the difference.
func (ix *indexer) comprehension(e pysrc.Expr, generators []*pysrc.Comprehension, parts ...pysrc.Expr) {
	outer := ix.block
	ix.block = ix.open(e, Body, e.Bounds())
	for _, g := range generators {
		ix.assign(g.Target, g.Iter, nil, e, e.Bounds().Start, Iterated, 0)
	}
	for _, part := range parts {
		if part != nil {
			ix.expr(part)
		}
	}
	for _, g := range generators {
		ix.expr(g.Iter)
		for _, test := range g.Ifs {
			ix.expr(test)
		}
	}
	ix.block = outer
}

func isDeviceString(s string) bool {
	return strings.HasPrefix(s, "cuda") || s == "gpu" || s == "hpu" || s == "xpu"
}

// within is the state to come back to after a function or class.
func (ix *indexer) within(f *Function, scope *Scope, class *Class, walk func()) {
	saved := *ix
	ix.fn, ix.scope, ix.class, ix.globals = f, scope, class, nil
	walk()
	ix.fn, ix.scope, ix.class, ix.block, ix.globals = saved.fn, saved.scope, saved.class, saved.block, saved.globals
}

func (ix *indexer) qualified(name string) string {
	switch {
	case ix.class != nil:
		return ix.class.Name + "." + name
	case ix.fn.Name != "":
		return ix.fn.Name + "." + name
	}
	return name
}

func (ix *indexer) function(d *pysrc.FunctionDef) {
	for _, e := range d.Decorators {
		ix.expr(e)
	}
	ix.defaults(d.Args)
	f := &Function{Module: ix.m, Name: ix.qualified(d.Name), Def: d, Class: ix.class, Outer: ix.fn}
	f.Scope = &Scope{Module: ix.m, Parent: ix.scope, Func: f}
	ix.m.Functions = append(ix.m.Functions, f)
	if ix.class != nil {
		ix.class.property = ix.class.property || f.decorated("property")
		if old := ix.class.Methods[d.Name]; old == nil || !isSetter(d) {
			ix.class.Methods[d.Name] = f
		}
	}
	ix.bind(Binding{Name: d.Name, Kind: Defined, At: d.NameSpan.End, Node: d, defined: &defined{func_: f}})
	ix.within(f, f.Scope, nil, func() {
		if len(d.Body) > 0 {
			ix.block = ix.open(d, Body, pysrc.Span{Start: startOf(d.Body[0]), End: d.End})
		} else {
			ix.block = ix.open(d, Body, pysrc.Span{Start: d.End, End: d.End})
		}
		f.body = ix.block
		ix.parameters(d.Args)
		ix.stmts(d.Body)
	})
}

func isSetter(d *pysrc.FunctionDef) bool {
	for _, e := range d.Decorators {
		if a, ok := e.(*pysrc.Attribute); ok && (a.Attr == "setter" || a.Attr == "deleter") {
			return true
		}
	}
	return false
}

func (ix *indexer) lambda(l *pysrc.Lambda) {
	ix.defaults(l.Args)
	f := &Function{Module: ix.m, Name: ix.qualified("<lambda>"), Lambda: l, Class: ix.fn.Class, Outer: ix.fn}
	f.Scope = &Scope{Module: ix.m, Parent: ix.scope, Func: f}
	f.returns = []pysrc.Expr{l.Body}
	ix.m.Functions = append(ix.m.Functions, f)
	ix.within(f, f.Scope, nil, func() {
		ix.block = ix.open(l, Body, l.Body.Bounds())
		f.body = ix.block
		ix.parameters(l.Args)
		ix.expr(l.Body)
	})
}

func (ix *indexer) defaults(a *pysrc.Arguments) {
	if a == nil {
		return
	}
	for _, d := range a.Defaults {
		ix.expr(d)
	}
	for _, d := range a.KwDefaults {
		if d != nil {
			ix.expr(d)
		}
	}
}

func (ix *indexer) parameters(a *pysrc.Arguments) {
	if a == nil {
		return
	}
	for _, arg := range a.All() {
		ix.bind(Binding{Name: arg.Name, Kind: Parameter, At: arg.Start, Node: arg})
	}
}

func (ix *indexer) classDef(d *pysrc.ClassDef) {
	for _, e := range d.Decorators {
		ix.expr(e)
	}
	ix.arguments(d.Bases, d.Keywords)
	c := &Class{Module: ix.m, Name: ix.qualified(d.Name), Def: d, Methods: map[string]*Function{}, outer: ix.scope}
	c.Scope = &Scope{Module: ix.m, Parent: ix.scope, Class: c}
	ix.m.Classes = append(ix.m.Classes, c)
	ix.bind(Binding{Name: d.Name, Kind: ClassNamed, At: d.NameSpan.End, Node: d, defined: &defined{class: c}})
	ix.within(ix.fn, c.Scope, c, func() {
		if len(d.Body) > 0 {
			ix.block = ix.open(d, Body, pysrc.Span{Start: startOf(d.Body[0]), End: d.End})
		}
		c.body = ix.block
		ix.stmts(d.Body)
	})
}
