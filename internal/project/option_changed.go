package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// An option's default need not be what it is declared with: programs set defaults anew, put what a settings file says over what the
// command line gives, and assign to single options.

// optionChange is a place that changes the options of a program once they are parsed: args.lr = 1, vars(args).update(settings),
// for key, value in settings.items(): setattr(args, key, value).
type optionChange struct {
	module *Module
	block  BlockID
	at     int32
	parsed *Site      // the call that gave the options
	over   pysrc.Expr // a mapping of settings
	name   string     // of one option
	value  pysrc.Expr // of that
}

// gatherOptionChanges finds what changes options after they are parsed, in the order of the source, and the calls of set_defaults.
func (p *Project) gatherOptionChanges() {
	p.optionChanges, p.defaultsSet, p.defaultsOpen = map[*Site][]optionChange{}, map[*Module][]*Site{}, map[*Module]bool{}
	e := p.NewEval()
	defer e.Release()
	parsedTo := func(m *Module, x pysrc.Expr) *Site {
		v := e.Of(m, x)
		if v.Kind != Instance || v.Class != nil || !isNamespace(v.Name) {
			return nil
		}
		return v.Made
	}
	for _, m := range p.Modules {
		add := func(at pysrc.Expr, to pysrc.Expr, c optionChange) {
			if c.parsed = parsedTo(m, to); c.parsed != nil {
				c.module, c.at, c.block = m, at.Bounds().Start, m.BlockAt(at.Bounds().Start)
				p.optionChanges[c.parsed] = append(p.optionChanges[c.parsed], c)
			}
		}
		for _, s := range m.Sites {
			switch s.Method() {
			case "set_defaults":
				p.defaultsSet[m] = append(p.defaultsSet[m], s)
				if k := s.Node.Keyword(""); k != nil {
					v := e.Of(m, k.Value)
					p.defaultsOpen[m] = p.defaultsOpen[m] || !v.isMapping() || v.Kind == Instance
				}
			case "update":
				if to := attributesOf(s.Node.Func.(*pysrc.Attribute).Value); to != nil && len(s.Node.Args) == 1 {
					add(s.Node, to, optionChange{over: s.Node.Args[0]})
				}
			case "":
				if loop, from := m.setsEach(s); from != nil {
					add(loop, s.Node.Args[0], optionChange{over: from})
				}
			}
		}
		for _, a := range m.Assignments {
			if target, ok := a.Target.(*pysrc.Attribute); ok && a.Value != nil && !a.Augmented && slices.Contains(p.optionsSet[target.Attr], a) {
				add(target, target.Value, optionChange{name: target.Attr, value: a.Value})
			}
		}
	}
	for _, changes := range p.optionChanges {
		slices.SortStableFunc(changes, func(a, b optionChange) int { return int(a.at) - int(b.at) })
	}
}

// attributesOf is the object whose attributes an expression gives as a dict: vars(args), args.__dict__.
func attributesOf(x pysrc.Expr) pysrc.Expr {
	switch x := x.(type) {
	case *pysrc.Call:
		if name, ok := x.Func.(*pysrc.Name); ok && name.ID == "vars" && len(x.Args) == 1 {
			return x.Args[0]
		}
	case *pysrc.Attribute:
		if x.Attr == "__dict__" {
			return x.Value
		}
	}
	return nil
}

// setsEach is the mapping all of whose items a loop sets as attributes by a call of setattr, with the loop's first expression.
func (m *Module) setsEach(s *Site) (at, from pysrc.Expr) {
	if name, ok := s.Node.Func.(*pysrc.Name); !ok || name.ID != "setattr" || len(s.Node.Args) != 3 {
		return nil, nil
	}
	key, ok := s.Node.Args[1].(*pysrc.Name)
	loop, around := m.LoopAround(s.Node).(*pysrc.For)
	if !ok || !around {
		return nil, nil
	}
	if pysrc.DottedName(loop.Target) == key.ID { // for key in settings
		if call, ok := loop.Iter.(*pysrc.Call); ok && lastName(call.Func) == "keys" {
			if method, ok := call.Func.(*pysrc.Attribute); ok {
				return loop.Iter, method.Value
			}
		}
		return loop.Iter, loop.Iter
	}
	if pair := elements(loop.Target); len(pair) == 2 && pysrc.DottedName(pair[0]) == key.ID {
		if from := itemsOf(loop.Iter); from != nil {
			return loop.Iter, from
		}
	}
	return nil, nil
}

// changedOption is what an option is once the program that parsed it has changed it, where now is what it was before.
func (e *Eval) changedOption(parsed *Site, name string, now Value) Value {
	for i := range e.p.optionChanges[parsed] {
		c := &e.p.optionChanges[parsed][i]
		if c.name != "" && c.name != name {
			continue
		}
		// Another function may run for some options only, and what lies before the call changes another object.
		if c.name != "" && (c.module.blocks[c.block].Func != parsed.Func || c.at < parsed.Node.Start) || c.value != nil && speaks(c.value, name) {
			continue
		}
		runs := maybe
		if e.choosesArms() {
			runs = e.setAsShipped(c.module, c.block, c.module.blocks[c.block].Func.body, -1)
		} else if c.block == c.module.blocks[c.block].Func.body {
			runs = always
		}
		if runs == never {
			continue
		}
		sc := c.module.blocks[c.block].Scope
		next := e.once(c, func() Value {
			if c.value != nil {
				return e.expr(c.value, sc).via(ByVariable)
			}
			return e.item(e.expr(c.over, sc), stringValue(name))
		})
		switch {
		case next.Kind == Missing || next.Kind == Unknown && len(next.Either) == 0 && c.over != nil:
		case runs == always || c.over != nil:
			now = next
		default:
			now = merge([]Value{now, next})
		}
	}
	return now
}

// speaks reports an expression that reads an attribute: args.workers // 8.
func speaks(x pysrc.Expr, name string) (found bool) {
	pysrc.Inspect(x, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Attribute)
		found = found || ok && a.Attr == name
		return !found
	})
	return found
}

// defaultSet is the default that a module sets for an option with set_defaults, Missing where it sets none.
func (e *Eval) defaultSet(m *Module, name string) Value {
	now := Value{Kind: Missing}
	for _, s := range e.p.defaultsSet[m] {
		if k := s.Node.Keyword(name); k != nil {
			now = e.given(k.Value, s).via(ByOption)
		} else if k := s.Node.Keyword(""); k != nil {
			if v := e.item(e.expr(k.Value, s.scope()), stringValue(name)); v.Kind != Missing && (v.Kind != Unknown || len(v.Either) > 0) {
				now = v
				if v.Origin.How < BySettings {
					now = v.via(ByOption)
				}
			}
		}
	}
	return now
}
