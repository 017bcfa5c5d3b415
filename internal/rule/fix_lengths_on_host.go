package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// leaveOnHost repairs lengths that are copied to the GPU and that a loss then needs on the host: they stay where the loader
// leaves them, and go to the GPU only where they meet a tensor there.
//
//	out, lengths = model(x.to(device), lengths.to(device))
//	loss = ctc(out, targets, lengths, target_lengths)
//
// onHost is set if nothing copies them.
func (p *SourcePass) leaveOnHost(lengths []pysrc.Expr) (edits []patch.Edit, onHost bool) {
	h := &hosting{asked: map[*pysrc.Name]bool{}, seen: map[hostedName]bool{}}
	for _, e := range lengths {
		if !h.from(p, e) {
			return nil, false
		}
	}
	if h.copies == 0 {
		return nil, len(lengths) > 0
	}
	return h.edits, false
}

// hosting follows lengths back to where they are copied to the GPU, and from there to all that reads them.
type hosting struct {
	edits  []patch.Edit
	copies int // to the GPU
	asked  map[*pysrc.Name]bool
	seen   map[hostedName]bool
}

type hostedName struct {
	in   *project.Function
	name string
}

func (h *hosting) edit(e patch.Edit) {
	if !slices.Contains(h.edits, e) {
		h.edits = append(h.edits, e)
	}
}

// from reports whether an expression can be computed on the host, and notes the copies that must go.
func (h *hosting) from(p *SourcePass, e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Constant:
		return true
	case *pysrc.BinOp:
		return h.from(p, x.Left) && h.from(p, x.Right)
	case *pysrc.Call:
		of, method, c := calledOn(x)
		switch {
		case c == nil:
			return false
		case method == "to" || method == "cuda":
			if name, ok := of.(*pysrc.Name); ok && p.asLoaded(name) {
				if onlyMoves(x) {
					h.copies++
					h.edit(p.Replace(x, p.Text(of)))
					return true
				}
			}
			return false
		case countsOnHost[method]:
			return h.from(p, of)
		}
	case *pysrc.Name:
		return h.fromName(p, x)
	}
	return false
}

// countsOnHost are methods that compute lengths from others where they are.
var countsOnHost = setOfNames("long", "int", "clamp", "clamp_min", "clamp_max", "floor", "ceil", "clone", "detach")

func (h *hosting) fromName(p *SourcePass, name *pysrc.Name) bool {
	fn := p.Function(name)
	if h.asked[name] {
		return true
	}
	h.asked[name] = true
	list, given := p.Module.SaidOrGiven(name)
	if len(list) == 0 && !given {
		return p.asLoaded(name)
	}
	for _, s := range list {
		if s.Place < 0 && !h.from(p, s.Value) || s.Place >= 0 && !h.fromPart(p, s.Value, s.Place) {
			return false
		}
	}
	if given && !h.fromGivers(p, fn, name.ID) {
		return false
	}
	return h.follows(p, fn, name.ID)
}

// fromPart follows a part of what a function of the project, or a model, returns.
func (h *hosting) fromPart(p *SourcePass, value pysrc.Expr, place int) bool {
	if t, ok := value.(*pysrc.Tuple); ok {
		return place < len(t.Elts) && h.from(p, t.Elts[place])
	}
	c, ok := value.(*pysrc.Call)
	if !ok {
		return false
	}
	runs := []*project.Function(nil)
	if s := p.Module.SiteAt(c); s != nil {
		runs = p.Project.Runs(s)
	}
	for _, fn := range runs {
		there := p.In(fn.Module)
		for _, r := range fn.Returns() {
			parts := elementsOf(r)
			if place >= len(parts) || !h.from(there, parts[place]) {
				return false
			}
		}
	}
	return len(runs) > 0
}

// fromGivers follows a parameter to the calls of its function.
func (h *hosting) fromGivers(p *SourcePass, fn *project.Function, name string) bool {
	found := false
	for _, s := range p.Project.Givers(fn) {
		given := s.Given(fn, name)
		if given == nil {
			continue
		}
		if there := p.In(s.Module()); !h.from(there, given) {
			return false
		}
		found = true
	}
	return found
}

// readsFine reports whether all that a function does with lengths can be done on the host.
func (h *hosting) readsFine(p *SourcePass, fn *project.Function, name string) bool {
	fine := true
	pysrc.InspectPath(fn.Def, func(n pysrc.Node, path []pysrc.Node) bool {
		if use, ok := n.(*pysrc.Name); ok && fine && use.ID == name && use.Ctx == pysrc.Load {
			fine = h.readFine(p, fn, use, path)
		}
		return fine
	})
	return fine
}

// readFine reports a use of lengths that needs them on the host, or does not care: arithmetic, a bound, a result.
func (h *hosting) readFine(p *SourcePass, fn *project.Function, use pysrc.Expr, path []pysrc.Node) bool {
	for at := len(path) - 1; at >= 0; at-- {
		switch x := path[at].(type) {
		case *pysrc.BinOp:
			if _, left := x.Left.(*pysrc.Constant); !left && x.Left != use {
				return false
			}
			if _, right := x.Right.(*pysrc.Constant); !right && x.Right != use {
				return false
			}
			use = x
		case *pysrc.Subscript:
			if x.Value != use {
				return false
			}
			use = x
		case *pysrc.Attribute:
			call, ok := path[max(at-1, 0)].(*pysrc.Call)
			switch {
			case ok && (x.Attr == "to" || x.Attr == "cpu" || x.Attr == "tolist" || x.Attr == "item" || x.Attr == "cuda" || x.Attr == "size"):
				return true
			case ok && countsOnHost[x.Attr] && call.Func == pysrc.Expr(x):
				use = call
				at--
				continue
			}
			return x.Attr == "shape"
		case *pysrc.Slice:
			return true
		case *pysrc.Tuple: // of a return, or of an index
			if _, ok := path[max(at-1, 0)].(*pysrc.Return); ok {
				return h.returned(p, fn, slices.Index(x.Elts, use))
			}
			return false
		case *pysrc.Compare:
			return h.moved(p, use, x)
		case *pysrc.Assign:
			target, ok := x.Targets[0].(*pysrc.Name)
			return ok && len(x.Targets) == 1 && x.Value == use && h.follows(p, fn, target.ID)
		case *pysrc.Call:
			return takenFine(p, x)
		default:
			return false
		}
	}
	return false
}

// follows is readsFine, asked once for each name.
func (h *hosting) follows(p *SourcePass, fn *project.Function, name string) bool {
	key := hostedName{fn, name}
	if h.seen[key] {
		return true
	}
	h.seen[key] = true
	return fn.Def != nil && h.readsFine(p, fn, name)
}

// onlyMoves reports x.to(device) and x.cuda() that change nothing else.
func onlyMoves(c *pysrc.Call) bool {
	return len(c.Args) <= 1 && !slices.ContainsFunc(c.Keywords, func(k *pysrc.Keyword) bool {
		return k.Name != "device" && k.Name != "non_blocking"
	})
}

// returned follows a part of a result to the names that the callers give it.
func (h *hosting) returned(p *SourcePass, fn *project.Function, place int) bool {
	for _, s := range p.Project.Givers(fn) {
		there := p.In(s.Module())
		a, ok := there.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
		if !ok || a.Value != pysrc.Expr(s.Node) || len(a.Targets) != 1 || place < 0 {
			return false
		}
		parts := elementsOf(a.Targets[0])
		if place >= len(parts) {
			return false
		}
		name, ok := parts[place].(*pysrc.Name)
		if !ok || !h.follows(there, there.Function(name), name.ID) {
			return false
		}
	}
	return true
}

// moved lets lengths go to the device of what they are compared with: torch.arange(n, device=x.device) < lengths[:, None].
func (h *hosting) moved(p *SourcePass, use pysrc.Expr, test *pysrc.Compare) bool {
	if len(test.Comparators) != 1 {
		return false
	}
	other := test.Left
	if other == use {
		other = test.Comparators[0]
	}
	device := ""
	pysrc.Inspect(other, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && c.Keyword("device") != nil {
			device = p.Text(c.Keyword("device").Value)
		}
		return device == ""
	})
	if device == "" || mentionsName(other, rootName(use)) {
		return false
	}
	h.edit(p.InsertAfter(use, ".to("+device+")"))
	return true
}

// takenFine reports a call that takes lengths of the host: a CTC loss, a packed sequence, int(lengths[i]).
func takenFine(p *SourcePass, c *pysrc.Call) bool {
	switch lastName(c.Func) {
	case "int", "float", "len", "range", "pack_padded_sequence":
		return true
	}
	s := p.Module.SiteAt(c)
	return s != nil && isCTC(s)
}

func isCTC(s *project.Site) bool {
	return s.Calls.Name == "torch.nn.functional.ctc_loss" || slices.ContainsFunc(s.Possible(), func(v Value) bool { return v.IsInstance("torch.nn.CTCLoss") })
}
