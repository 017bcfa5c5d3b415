package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// gathersRows is where a loop puts its rows: into a list of which a batch becomes, or into an array that the host has made; nil where it
// puts them nowhere. A comprehension is such a list itself.
func (p *SourcePass) gathersRows(t *turns) pysrc.Node {
	fn := p.Function(t.at)
	if fn.Def == nil && fn != p.Module.Main {
		return nil
	}
	if t.loop == nil {
		whole, _ := t.whole.(pysrc.Expr)
		return p.becomesBatch(whole, fn)
	}
	var found pysrc.Node
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.FunctionDef, *pysrc.Lambda:
				return false
			case *pysrc.Call:
				a, ok := x.Func.(*pysrc.Attribute)
				if !ok || len(x.Args) != 1 || a.Attr != "append" && a.Attr != "extend" {
					break
				}
				if list, ok := a.Value.(*pysrc.Name); ok && found == nil && p.startsEmpty(list, t) {
					found = p.listBecomesBatch(list.ID, fn, t.whole.Bounds().End)
				}
			case *pysrc.AugAssign:
				if list, ok := x.Target.(*pysrc.Name); ok && x.Op == pysrc.Add && found == nil && p.startsEmpty(list, t) {
					found = p.listBecomesBatch(list.ID, fn, t.whole.Bounds().End)
				}
			case *pysrc.Assign:
				if part, ok := x.Targets[0].(*pysrc.Subscript); ok && found == nil && p.storesRow(part, t) {
					found = part
				}
			}
			return found == nil
		})
	}
	return found
}

// startsEmpty reports a list that is empty before a loop and made in the same function.
func (p *SourcePass) startsEmpty(list *pysrc.Name, t *turns) bool {
	return slices.ContainsFunc(assignedAnywhere(p, list), func(a *pysrc.Assign) bool {
		if a.Start >= t.whole.Bounds().Start || !namesStored(a.Targets[0])[list.ID] {
			return false
		}
		return isNewList(a.Value) || slices.ContainsFunc(elementsOf(a.Value), isNewList)
	})
}

// assignedAnywhere are the assignments of the function in which a variable stands.
func assignedAnywhere(p *SourcePass, name *pysrc.Name) []*pysrc.Assign {
	return p.assignsOf(p.Function(name))
}

// isNewList reports [] and list().
func isNewList(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.List:
		return len(x.Elts) == 0
	case *pysrc.Call:
		return len(x.Args) == 0 && pysrc.DottedName(x.Func) == "list"
	}
	return false
}

// storesRow reports x[i] = … and x[i, :n] = … of an array that the function has made on the host, by what differs from turn to turn.
func (p *SourcePass) storesRow(part *pysrc.Subscript, t *turns) bool {
	name, ok := part.Value.(*pysrc.Name)
	if !ok || !mentionsAny(part.Slice, t.varying) {
		return false
	}
	return slices.ContainsFunc(assignedIn(p.Function(part), name.ID), func(e pysrc.Expr) bool {
		c := madeToFill(e)
		if c == nil {
			return false
		}
		library, made, _ := strings.Cut(p.NameOf(c.Func), ".")
		return (library == "numpy" || library == "torch" && p.OnDevice(c) < perhaps && !p.takesDevice(c)) && fillable[made]
	})
}

// madeToFill is the call that makes an array, before its type is changed: np.zeros((n, m)).astype(np.int32).
func madeToFill(e pysrc.Expr) *pysrc.Call {
	c, ok := e.(*pysrc.Call)
	for ok {
		a, method := c.Func.(*pysrc.Attribute)
		if !method || a.Attr != "astype" && a.Attr != "long" && a.Attr != "float" && a.Attr != "bool" && a.Attr != "int" {
			return c
		}
		inner, chained := a.Value.(*pysrc.Call)
		if !chained {
			return c
		}
		c = inner
	}
	return nil
}

// fillable are functions that make an array to be filled.
var fillable = setOfNames("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like")

// becomesBatch is the call that makes an array of a list, or of a variable that holds it; nil where there is none.
func (p *SourcePass) becomesBatch(list pysrc.Expr, fn *project.Function) pysrc.Node {
	for _, s := range fn.Sites {
		if p.makesBatch(s) && (firstArg(s.Node) == list || wrapsList(firstArg(s.Node), list)) {
			return s.Node
		}
	}
	for _, a := range p.assignsOf(fn) {
		if name, ok := a.Targets[0].(*pysrc.Name); ok && a.Value == list {
			return p.listBecomesBatch(name.ID, fn, a.End)
		}
	}
	return nil
}

// wrapsList reports list(x) of an expression.
func wrapsList(e, list pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	return ok && len(c.Args) == 1 && c.Args[0] == list && (lastName(c.Func) == "list" || lastName(c.Func) == "tuple")
}

// listBecomesBatch is the place behind an offset where a function makes an array of a list, or hands it to the training loop that
// takes its batches from the function.
func (p *SourcePass) listBecomesBatch(name string, fn *project.Function, from int32) pysrc.Node {
	for _, s := range fn.Sites {
		if s.Node.Start < from || len(s.Node.Args) == 0 {
			continue
		}
		if p.makesBatch(s) && holdsList(s.Node.Args[0], name) || transposes(s.Node, name) {
			return s.Node
		}
	}
	var found pysrc.Node
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	pysrc.Inspect(body, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Yield:
			if x.Value != nil && x.Start >= from && givesAway(x.Value, name) {
				found = x
			}
		case *pysrc.Return:
			if x.Value != nil && x.Start >= from && givesAway(x.Value, name) && p.callerMakesBatch(fn) {
				found = x
			}
		}
		return found == nil
	})
	return found
}

// makesBatch reports a call that makes one array or tensor of many parts.
func (p *SourcePass) makesBatch(s *project.Site) bool {
	name := s.Name()
	if name == "" {
		name = p.NameOf(s.Node.Func)
	}
	return batchMakers[name]
}

// batchMakers make one array of many parts.
var batchMakers = setOfNames("numpy.array", "numpy.asarray", "numpy.stack", "numpy.vstack", "numpy.hstack", "numpy.concatenate", "numpy.float32",
	"torch.tensor", "torch.as_tensor", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.IntTensor", "torch.ByteTensor", "torch.BoolTensor",
	"torch.DoubleTensor", "torch.stack", "torch.cat", "torch.vstack", "torch.hstack", "torch.concat", "torch.nn.utils.rnn.pad_sequence",
	"jax.numpy.array", "jax.numpy.asarray", "jax.numpy.stack", "jax.numpy.concatenate")

// holdsList reports a list, or one that is made of all of it: xs, [x[0] for x in xs], zip(*xs).
func holdsList(e pysrc.Expr, name string) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		return x.ID == name
	case *pysrc.List:
		return slices.ContainsFunc(x.Elts, func(part pysrc.Expr) bool { return holdsList(part, name) })
	case *pysrc.ListComp:
		return holdsList(x.Generators[0].Iter, name)
	case *pysrc.Call:
		return len(x.Args) == 1 && holdsList(x.Args[0], name)
	case *pysrc.Starred:
		return holdsList(x.Value, name)
	}
	return false
}

// transposes reports zip(*rows), which makes columns of rows.
func transposes(c *pysrc.Call, name string) bool {
	star, ok := c.Args[0].(*pysrc.Starred)
	return ok && lastName(c.Func) == "zip" && isNamed(star.Value, name)
}

// givesAway reports a list that is given away, alone or beside others.
func givesAway(e pysrc.Expr, name string) bool {
	if d, ok := e.(*pysrc.Dict); ok {
		return slices.ContainsFunc(d.Values, func(part pysrc.Expr) bool { return isNamed(part, name) })
	}
	return isNamed(e, name) || slices.ContainsFunc(elementsOf(e), func(part pysrc.Expr) bool { return isNamed(part, name) })
}

// callerMakesBatch reports a function of whose result a step makes arrays: x, y = draw(n); x = torch.tensor(x).
func (p *SourcePass) callerMakesBatch(fn *project.Function) bool {
	return slices.ContainsFunc(p.Project.Givers(fn), func(s *project.Site) bool {
		in := p.In(s.Module())
		a, ok := in.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
		if !ok {
			return slices.ContainsFunc(s.Func.Sites, func(outer *project.Site) bool {
				return in.makesBatch(outer) && firstArg(outer.Node) == pysrc.Expr(s.Node)
			})
		}
		names := namesStored(a.Targets[0])
		return slices.ContainsFunc(s.Func.Sites, func(later *project.Site) bool {
			return later.Node.Start > a.Start && len(later.Node.Args) > 0 && in.makesBatch(later) && mentionsAny(later.Node.Args[0], names)
		})
	})
}
