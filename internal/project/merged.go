package project

import "saturate/internal/pysrc"

// Programs whose settings files change each other have a function that puts one mapping over another: merge(base, own). What it
// returns is what the second says, and the first where that says nothing.

// putsOver is the parameter whose items a function puts into a mapping that it returns, or nothing.
func (f *Function) putsOver() string {
	if f.Def == nil || len(f.returns) == 0 || f.Params() == nil {
		return ""
	}
	for _, s := range f.Sites {
		a, ok := s.Node.Func.(*pysrc.Attribute)
		if !ok || a.Attr != "items" {
			continue
		}
		of, ok := a.Value.(*pysrc.Name)
		if !ok || !f.HasParameter(of.ID) {
			continue
		}
		loop, ok := f.Module.StatementAt(s.Node.Start).(*pysrc.For)
		if ok && loop.Iter == pysrc.Expr(s.Node) && storesByKey(loop) {
			return of.ID
		}
	}
	return ""
}

// storesByKey reports for k, v in …: out[k] = ….
func storesByKey(loop *pysrc.For) bool {
	pair := elements(loop.Target)
	if len(pair) != 2 {
		return false
	}
	key, ok := pair[0].(*pysrc.Name)
	if !ok {
		return false
	}
	found := false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			item, ok := n.(*pysrc.Subscript)
			if ok && item.Ctx == pysrc.Store {
				name, ok := item.Slice.(*pysrc.Name)
				found = found || ok && name.ID == key.ID
			}
			return !found
		})
	}
	return found
}

// putOver is what a call of such a function gives, where that is a part of a settings file.
func (e *Eval) putOver(site *Site, f *Function) Value {
	given := site.Given(f, f.over)
	if given == nil {
		return Value{}
	}
	v := e.expr(given, site.scope())
	if v.Kind == Key || v.Kind == Instance && isLoaded(v.Name) {
		return v.lessSure(Likely)
	}
	return Value{}
}
