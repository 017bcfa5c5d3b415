package project

import "saturate/internal/pysrc"

// holder is a variable that may hold a container: self.name of a class, or a name of a scope.
type holder struct {
	nested bool // what it holds: histories[name]
	class  *Class
	scope  *Scope
	name   string
}

// gatherAppended finds what is appended to each variable: self.layers.append(Layer()).
func (p *Project) gatherAppended() {
	p.appended = map[holder][]*Site{}
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if x, _ := s.adds(); x != nil {
				if h := m.holderOf(s.Node.Func.(*pysrc.Attribute).Value, s.Func, s.Block); h.name != "" {
					p.appended[h] = append(p.appended[h], s)
				}
			}
		}
	}
}

// adds is what a call puts into a list, as an element or as all elements of the other list: append, insert, extend.
func (s *Site) adds() (x pysrc.Expr, all bool) {
	a, ok := s.Node.Func.(*pysrc.Attribute)
	if !ok {
		return nil, false
	}
	switch args := s.Node.Args; {
	case a.Attr == "append" && len(args) == 1:
		return args[0], false
	case a.Attr == "insert" && len(args) == 2:
		return args[1], false
	case a.Attr == "extend" && len(args) == 1:
		return args[0], true
	}
	return nil, false
}

func (m *Module) holderOf(x pysrc.Expr, f *Function, block BlockID) holder {
	switch x := x.(type) {
	case *pysrc.Name:
		return holder{scope: m.blocks[block].Scope, name: x.ID}
	case *pysrc.Attribute:
		of, ok := x.Value.(*pysrc.Name)
		switch {
		case ok && of.ID == "self" && f != nil && f.Class != nil:
			return holder{class: f.Class, name: x.Attr}
		case ok:
			return holder{scope: m.blocks[block].Scope, name: of.ID + "." + x.Attr}
		}
	case *pysrc.Subscript: // of what a dict or list holds
		of := m.holderOf(x.Value, f, block)
		of.nested = true
		return of
	}
	return holder{}
}

// contents returns the elements of a list or a torch.nn.ModuleList: those it is made with, and those appended to its
// variable. It returns nothing for other values.
func (e *Eval) contents(v Value) (Value, bool) {
	var values []Value
	switch {
	case v.Kind == Instance && v.Class == nil && v.Made != nil && v.Name == "torch.nn.ModuleList":
		made := v.Made
		if len(made.Node.Args) == 1 {
			values = append(values, e.element(made.Node.Args[0], 0, made.scope()))
		}
		values = append(values, e.appendedTo(made.Module(), made.Node.Start)...)
	case v.Kind == Display && v.scope != nil:
		if comp, ok := v.Expr.(*pysrc.ListComp); ok {
			return e.unpacked(comp.Elt, 0, v.scope), true
		}
		if list, ok := v.Expr.(*pysrc.List); ok && len(list.Elts) == 0 {
			values = e.appendedTo(v.scope.Module, list.Start)
		}
	}
	return merge(values), len(values) > 0
}

// appendedTo tells what is added to the list at an offset: to the variable that its statement assigns, or to what that holds.
func (e *Eval) appendedTo(m *Module, at int32) []Value { return e.addedTo(m, at, "") }

// addedTo is appendedTo for an attribute of the variable.
func (e *Eval) addedTo(m *Module, at int32, attribute string) []Value {
	assign, ok := m.StatementAt(at).(*pysrc.Assign)
	if !ok || len(assign.Targets) != 1 {
		return nil
	}
	target, value := assign.Targets[0], assign.Value
	if names, values := elements(target), elements(assign.Value); len(names) > 0 && len(names) == len(values) { // a, b = [], []
		for i, v := range values {
			if v.Bounds().Start == at {
				target, value = names[i], v
			}
		}
	}
	block := m.BlockAt(at)
	h := m.holderOf(target, m.blocks[block].Func, block)
	if h.name += attribute; value.Bounds().Start != at {
		h.nested = true
	}
	sites := e.p.appended[h]
	if len(sites) > mostCallers {
		return nil
	}
	values := make([]Value, 0, len(sites))
	for _, s := range sites {
		x, all := s.adds()
		values = append(values, e.once(s, func() Value {
			if all {
				return e.element(x, 0, s.scope())
			}
			return e.expr(x, s.scope())
		}))
	}
	return values
}
