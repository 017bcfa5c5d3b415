package offline

import (
	"fmt"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// inputs are the expressions that decide a value, as they can be written before it.
type inputs struct {
	list    []string
	names   []string     // local variables among them
	locals  []pysrc.Expr // what they are read from: the variables, their attributes and elements
	byPlace bool         // a method of the object reads an element of a list that the object holds
	reason  string

	w     *work
	fn    *project.Function
	local map[string]bool
	bound map[string]bool // set within
	self  string
	// certainly are the local variables that are read under no condition, so that they exist
	certainly map[string]bool
	lazy      map[string]bool // attributes that are built when they are first needed
}

func (w *work) inputsOf(c *cut) *inputs {
	own := localNames(c.fn)
	in := &inputs{
		w: w, fn: c.fn, local: localNames(c.fn), bound: map[string]bool{}, certainly: map[string]bool{}, self: selfOf(c.fn),
		lazy: builtLate(c.funcs),
	}
	for _, n := range parentsOf(c.fn, c.nodes()[0]) { // of a comprehension or lambda around it
		for name := range boundBy(n) {
			in.local[name] = true
		}
	}
	for _, n := range c.nodes() {
		in.visit(n, false)
	}
	for _, name := range in.names {
		if own[name] && !in.certainly[name] && !surelySet(c.fn, name, c.span().Start) {
			in.reason = fmt.Sprintf("%s is set only under a condition", name)
		}
	}
	return in
}

func (in *inputs) add(text string) {
	if !slices.Contains(in.list, text) {
		in.list = append(in.list, text)
	}
}

// visit collects from a node. Under a condition only names are taken, since an element might not be there.
func (in *inputs) visit(root pysrc.Node, conditional bool) {
	inOrder(root, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			in.call(n, conditional)
			return false
		case *pysrc.Attribute, *pysrc.Subscript:
			in.atom(n.(pysrc.Expr), conditional)
			return false
		case *pysrc.Name:
			if n.Ctx == pysrc.Store {
				in.bound[n.ID] = true
			} else {
				in.atom(n, conditional)
			}
		case *pysrc.IfExp:
			in.visit(n.Test, conditional)
			in.visit(n.Body, true)
			in.visit(n.Orelse, true)
			return false
		case *pysrc.BoolOp:
			for i, v := range n.Values {
				in.visit(v, conditional || i > 0)
			}
			return false
		case *pysrc.If:
			in.visit(n.Test, conditional)
			for _, s := range append(slices.Clone(n.Body), n.Orelse...) {
				in.visit(s, true)
			}
			return false
		case *pysrc.AugAssign:
			if x, ok := n.Target.(*pysrc.Name); ok {
				in.atom(x, conditional)
			}
		case *pysrc.Lambda:
			for _, p := range n.Args.All() {
				in.bound[p.Name] = true
			}
		case *pysrc.FunctionDef:
			in.bound[n.Name] = true
			for _, p := range n.Args.All() {
				in.bound[p.Name] = true
			}
		case *pysrc.ExceptHandler:
			in.bound[n.Name] = true
		}
		return true
	})
}

// call takes the object that a method belongs to, and the arguments. A function is known by its source.
func (in *inputs) call(call *pysrc.Call, conditional bool) {
	switch f := call.Func.(type) {
	case *pysrc.Attribute:
		if x, ok := f.Value.(*pysrc.Name); ok && x.ID == in.self && in.self != "" {
			in.member(f.Attr)
		} else if x, ok := f.Value.(*pysrc.Call); ok && isSuper(x) {
			in.member(f.Attr)
		} else {
			in.visit(f.Value, conditional)
		}
	case *pysrc.Name:
		if in.local[f.ID] && !in.bound[f.ID] && !importedIn(in.fn)[f.ID] {
			in.atom(f, conditional)
		} else if moduleNames(in.fn.Module)[f.ID] && !in.local[f.ID] && !in.bound[f.ID] {
			in.global(f, f) // an object that is called
		}
	default:
		in.visit(f, conditional)
	}
	for _, a := range call.Args {
		in.visit(a, conditional)
	}
	for _, k := range call.Keywords {
		in.visit(k.Value, conditional)
	}
}

func isSuper(c *pysrc.Call) bool {
	n, ok := c.Func.(*pysrc.Name)
	return ok && n.ID == "super"
}

// atom takes a variable, an attribute or an element.
func (in *inputs) atom(e pysrc.Expr, conditional bool) {
	base, plain := baseOf(e)
	if base == nil || !plain {
		switch e := e.(type) {
		case *pysrc.Attribute:
			in.visit(e.Value, conditional)
		case *pysrc.Subscript:
			in.visit(e.Value, conditional)
			in.visit(e.Slice, conditional)
		}
		return
	}
	if in.bound[base.ID] {
		in.indices(e, conditional)
		return
	}
	if conditional {
		e = in.certain(e)
	}
	m := in.fn.Module
	switch {
	case base.ID == in.self && in.self != "":
		if e == pysrc.Expr(base) {
			in.reason = fmt.Sprintf("it uses %s as a whole", in.self)
			return
		}
		in.selfAtom(e)
	case importedIn(in.fn)[base.ID]:
	case in.local[base.ID]:
		in.certainly[base.ID] = in.certainly[base.ID] || !conditional
		in.add(text(m, e))
		in.locals = append(in.locals, e)
		if !slices.Contains(in.names, base.ID) {
			in.names = append(in.names, base.ID)
		}
	case moduleNames(m)[base.ID]:
		in.global(base, e)
	case !builtins[base.ID] && !importedIn(in.fn)[base.ID]:
		in.reason = fmt.Sprintf("the type of %s is unknown", base.ID) // better than a value that is found by too little
	}
}

// certain is the part of a chain that exists under any condition: a list, not its element; an object, which may be
// None, not its attribute. Attributes of self and of modules exist.
func (in *inputs) certain(e pysrc.Expr) pysrc.Expr {
	for {
		switch x := e.(type) {
		case *pysrc.Subscript:
			in.visit(x.Slice, true)
			e = x.Value
			continue
		case *pysrc.Attribute:
			if !isNamed(x.Value, in.self) && in.w.eval.Of(in.fn.Module, x.Value).Kind != project.Package {
				e = x.Value
				continue
			}
		}
		return e
	}
}

// global takes what the module holds, apart from functions, classes and libraries.
func (in *inputs) global(base *pysrc.Name, e pysrc.Expr) {
	v := in.w.eval.Of(in.fn.Module, base)
	switch v.Kind {
	case project.Callable, project.Type:
		return
	case project.Package:
		if v.Module == nil {
			return
		}
		if a, ok := e.(*pysrc.Attribute); ok {
			switch in.w.eval.Of(in.fn.Module, a).Kind {
			case project.Literal, project.Display:
				in.add(text(in.fn.Module, e))
			}
		}
		return
	}
	in.add(text(in.fn.Module, e))
}

// selfAtom takes what the object holds; a method that is passed on counts as called.
func (in *inputs) selfAtom(e pysrc.Expr) {
	first := e
	for {
		switch x := first.(type) {
		case *pysrc.Attribute:
			if _, ok := x.Value.(*pysrc.Name); ok {
				if in.fn.Class != nil && in.fn.Class.Method(x.Attr) != nil {
					in.member(x.Attr)
				} else if in.fn.Class != nil && counts(in.fn.Class, x.Attr) {
					in.reason = fmt.Sprintf("%s.%s differs each time", in.self, x.Attr)
				} else if setter := setLater(in.fn.Class, x.Attr); setter != nil {
					in.reason = fmt.Sprintf("%s.%s changes when %s is called", in.self, x.Attr, setter.Title())
				} else if !in.lazy[x.Attr] {
					in.add(text(in.fn.Module, e))
				}
				return
			}
			first = x.Value
			continue
		case *pysrc.Subscript:
			first = x.Value
			continue
		}
		return
	}
}

// member takes the attributes that a method of the object reads, and the methods that it calls.
func (in *inputs) member(name string) {
	if in.fn.Class == nil {
		return
	}
	seen := map[string]bool{}
	var follow func(name string)
	follow = func(name string) {
		method := in.fn.Class.Method(name)
		if method == nil {
			if setter := setLater(in.fn.Class, name); setter != nil {
				in.reason = fmt.Sprintf("%s.%s changes when %s is called", in.self, name, setter.Title())
			} else if !in.lazy[name] {
				in.add(in.self + "." + name)
			}
			return
		}
		if seen[name] {
			return
		}
		seen[name] = true
		if others := in.w.overrides(method); len(others) > 0 {
			in.reason = fmt.Sprintf("%s is overridden in %s", method.Title(), others[0].Class.Name)
			return
		}
		self := selfOf(method)
		pysrc.Inspect(method.Def, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Subscript:
				if a, ok := n.Value.(*pysrc.Attribute); ok && isNamed(a.Value, self) && !constant(n.Slice) && n.Ctx == pysrc.Load {
					in.byPlace = true
				}
			case *pysrc.Attribute:
				if isNamed(n.Value, self) && n.Ctx == pysrc.Load {
					follow(n.Attr)
				}
			}
			return true
		})
	}
	follow(name)
}

func isNamed(e pysrc.Expr, name string) bool {
	x, ok := e.(*pysrc.Name)
	return ok && name != "" && x.ID == name
}

// indices takes what stands in the brackets of something that is set within.
func (in *inputs) indices(e pysrc.Expr, conditional bool) {
	for {
		switch x := e.(type) {
		case *pysrc.Subscript:
			in.visit(x.Slice, conditional)
			e = x.Value
		case *pysrc.Attribute:
			e = x.Value
		default:
			return
		}
	}
}

// baseOf is the name that a chain of attributes and elements starts from; plain tells that working the chain out
// costs and changes nothing.
func baseOf(e pysrc.Expr) (base *pysrc.Name, plain bool) {
	switch e := e.(type) {
	case *pysrc.Name:
		return e, true
	case *pysrc.Attribute:
		return baseOf(e.Value)
	case *pysrc.Subscript:
		base, plain = baseOf(e.Value)
		pysrc.Inspect(e.Slice, func(n pysrc.Node) bool {
			switch n.(type) {
			case *pysrc.Call, *pysrc.Lambda, *pysrc.NamedExpr, *pysrc.ListComp, *pysrc.GeneratorExp:
				plain = false
			}
			return plain
		})
		return base, plain
	}
	return nil, false
}
