package project

import "saturate/internal/pysrc"

// holder is a variable that may hold a container: self.name of a class, or a name of a scope.
type holder struct {
	class *Class
	scope *Scope
	name  string
}

// gatherAppended finds what is appended to each variable: self.layers.append(Layer()).
func (p *Project) gatherAppended() {
	p.appended = map[holder][]*Site{}
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if f, ok := s.Node.Func.(*pysrc.Attribute); ok && f.Attr == "append" && len(s.Node.Args) == 1 {
				if h := m.holderOf(f.Value, s.Func, s.Block); h.name != "" {
					p.appended[h] = append(p.appended[h], s)
				}
			}
		}
	}
}

func (m *Module) holderOf(x pysrc.Expr, f *Function, block BlockID) holder {
	switch x := x.(type) {
	case *pysrc.Name:
		return holder{scope: m.blocks[block].Scope, name: x.ID}
	case *pysrc.Attribute:
		if of, ok := x.Value.(*pysrc.Name); ok && of.ID == "self" && f != nil && f.Class != nil {
			return holder{class: f.Class, name: x.Attr}
		}
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

// appendedTo tells what is appended to the variable that the statement at an offset assigns.
func (e *Eval) appendedTo(m *Module, at int32) []Value {
	assign, ok := m.StatementAt(at).(*pysrc.Assign)
	if !ok || len(assign.Targets) != 1 {
		return nil
	}
	target := assign.Targets[0]
	if names, values := elements(target), elements(assign.Value); len(names) > 0 && len(names) == len(values) { // a, b = [], []
		for i, v := range values {
			if v.Bounds().Start == at {
				target = names[i]
			}
		}
	}
	block := m.BlockAt(at)
	sites := e.p.appended[m.holderOf(target, m.blocks[block].Func, block)]
	if len(sites) > mostCallers {
		return nil
	}
	var values []Value
	for _, s := range sites {
		values = append(values, e.once(s, func() Value { return e.expr(s.Node.Args[0], s.scope()) }))
	}
	return values
}
