package project

import "saturate/internal/pysrc"

// wrapped is the loader that an object of a class of the project was given to go over: LogProgress(logger, loader).
func (e *Eval) wrapped(v Value) Value {
	if v.Kind == Instance && v.Func != nil && v.Func.IsGenerator() { // cycle(loader)
		for _, a := range v.Made.Node.Args {
			w := e.expr(a, v.Made.scope())
			if w.Kind == Callable && w.Func != nil { // endless(lambda: make_loader(data))
				w = e.returned(w.Func)
			}
			if w.Made != nil && w.IsInstance("torch.utils.data.DataLoader") {
				return w
			}
		}
		return e.goneOverBy(v.Func, func(pysrc.Expr) bool { return true }) // of a variable around it
	}
	if v.Kind != Instance || v.Class == nil || v.Class.Method("__iter__") == nil || v.Class.dataSet() > 0 {
		return Value{}
	}
	for _, a := range v.Made.Node.Args {
		if w := e.expr(a, v.Made.scope()); w.Made != nil && w.IsInstance("torch.utils.data.DataLoader") {
			return w
		}
	}
	return e.keptLoader(v.Class)
}

// keptLoader is the loader whose batches an object gives when it is gone over, which it made itself: its __iter__ or __next__ goes over
// a field, or takes from it.
func (e *Eval) keptLoader(class *Class) Value {
	for _, name := range [...]string{"__iter__", "__next__"} {
		if fn := class.Method(name); fn != nil {
			if w := e.goneOverBy(fn, func(x pysrc.Expr) bool { return FieldOfSelf(x) != "" }); w.Made != nil {
				return w
			}
		}
	}
	return Value{}
}

// goneOverBy is the first loader that a function goes over or takes from, of such expressions.
func (e *Eval) goneOverBy(fn *Function, such func(pysrc.Expr) bool) Value {
	if fn.Def == nil {
		return Value{}
	}
	for _, x := range fn.taken() {
		if !such(x) {
			continue
		}
		if w := e.expr(x, fn.Module.scopeAt(x)); w.Made != nil && w.IsInstance("torch.utils.data.DataLoader") {
			return w
		}
	}
	return Value{}
}

// taken is what a function goes over or takes from: of its loops, of iter(x) and next(x), and of x.__iter__().
func (f *Function) taken() (list []pysrc.Expr) {
	pysrc.Inspect(f.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.For:
			list = append(list, f.Module.goneOver(n.Iter)...)
		case *pysrc.Call:
			switch name := lastName(n.Func); {
			case (name == "iter" || name == "next") && len(n.Args) > 0:
				list = append(list, n.Args[0])
			case name == "__iter__" || name == "__next__":
				if method, ok := n.Func.(*pysrc.Attribute); ok {
					list = append(list, method.Value)
				}
			}
		}
		return true
	})
	return list
}
