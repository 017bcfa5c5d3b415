package project

import "saturate/internal/pysrc"

// iterated is the value that a loop iterates over, inside enumerate, tqdm and the like, and inside generators of the project that
// hand it on; nil for a range.
func (m *Module) iterated(x pysrc.Expr) pysrc.Expr {
	for {
		c, ok := x.(*pysrc.Call)
		if !ok || len(c.Args) == 0 {
			return x
		}
		switch lastName(c.Func) {
		case "enumerate", "tqdm", "track", "iter", "islice", "cycle", "ProgressBar":
			x = c.Args[0]
		case "from_iterable": // chain.from_iterable(repeat(loader)), which never ends
			again, ok := c.Args[0].(*pysrc.Call)
			if !ok || lastName(again.Func) != "repeat" || len(again.Args) == 0 {
				return x
			}
			x = again.Args[0]
		case "range", "trange", "zip":
			return nil
		default:
			given := m.handedThrough(c)
			if given == nil {
				return x
			}
			x = given
		}
	}
}

// handedThrough is the argument whose items a generator of the project yields one by one: meters.log_every(loader, 10).
func (m *Module) handedThrough(c *pysrc.Call) pysrc.Expr {
	s := m.SiteAt(c)
	if s == nil || s.Calls.Func == nil || !s.Calls.Func.IsGenerator() {
		return nil
	}
	f := s.Calls.Func
	if name := f.yieldsItemsOf(); name != "" {
		return s.ArgumentNode(name, f.position(name))
	}
	return nil
}

// yieldsItemsOf is the parameter whose items a generator yields as they are, or nothing.
func (f *Function) yieldsItemsOf() string {
	name := ""
	for _, y := range f.yields {
		over := y
		if all, ok := y.(*pysrc.YieldFrom); ok {
			over = all.Value
		} else if over = f.loopOver(y); over == nil {
			return ""
		}
		if c, ok := over.(*pysrc.Call); ok && len(c.Args) > 0 && (lastName(c.Func) == "iter" || lastName(c.Func) == "tqdm") {
			over = c.Args[0]
		}
		of, ok := over.(*pysrc.Name)
		if !ok || !f.HasParameter(of.ID) || name != "" && name != of.ID {
			return ""
		}
		name = of.ID
	}
	return name
}

// loopOver is what the loop goes over whose items a yield gives: for item in items: yield item.
func (f *Function) loopOver(yielded pysrc.Expr) pysrc.Expr {
	item, ok := yielded.(*pysrc.Name)
	if !ok {
		return nil
	}
	m := f.Module
	for id := m.BlockAt(item.Start); id >= 0 && m.blocks[id].Func == f; id = m.blocks[id].Parent {
		if loop, ok := m.blocks[id].Owner.(*pysrc.For); ok {
			over := loop.Iter
			target, plain := loop.Target.(*pysrc.Name)
			if pair, both := loop.Target.(*pysrc.Tuple); both && len(pair.Elts) == 2 { // for i, item in enumerate(items)
				if c, ok := over.(*pysrc.Call); ok && lastName(c.Func) == "enumerate" && len(c.Args) > 0 {
					over = c.Args[0]
					target, plain = pair.Elts[1].(*pysrc.Name)
				}
			}
			if plain && target.ID == item.ID {
				return over
			}
		}
	}
	return nil
}

// iteratedBehind is iterated, and also follows a variable: batches = tqdm(loader).
func (m *Module) iteratedBehind(x pysrc.Expr) pysrc.Expr {
	for range 3 {
		x = m.iterated(x)
		name, ok := x.(*pysrc.Name)
		if !ok {
			return x
		}
		said := m.SaidOnce(name)
		if call, ok := said.(*pysrc.Call); !ok || m.iterated(call) == pysrc.Expr(call) || m.iterated(call) == nil {
			return x
		}
		x = said
	}
	return x
}
