package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// elementLoops reports loops of datasets and transforms in which Python goes through an array number by number: the pixels
// of an image in nested loops, the samples or frames of a signal in one.
func (p *SourcePass) elementLoops() {
	for _, fn := range p.Module.Functions {
		path, ok := p.CalledForEverySample(fn)
		if !ok || path.Kind != project.DataSet && path.Kind != project.Transform {
			continue
		}
		for _, loop := range p.outerLoops(fn) {
			part := p.writtenElement(loop)
			if part == nil {
				part = p.writtenCell(loop)
			}
			if part != nil {
				p.sayElements(loop, path, part, probable)
				break
			}
			if carries(loop) || p.Rare(header(loop)) != nil || overConstant(loop.Iter) || takesSlices(loop) {
				continue
			}
			if part := p.nestedElement(loop); part != nil {
				p.sayElements(loop, path, part, likely)
				break
			}
			if part := p.signalElement(path, loop); part != nil {
				p.sayElements(loop, path, part, probable)
				break
			}
			if part := p.pairedElement(path, loop); part != nil {
				p.Report(header(loop), probable*path.Sure).Because(path, p.At(part, "one pair in each iteration")).
					Saying("Python goes through all pairs of %s for every sample", p.Short(part.Value)).
					Advising("Compare all at once: broadcasting, torch.cdist, scipy.spatial.cKDTree.")
				break
			}
		}
	}
}

func (p *SourcePass) sayElements(loop *pysrc.For, path project.Path, part *pysrc.Subscript, sure float64) {
	p.Report(header(loop), sure*path.Sure).Because(path, p.At(part, "one element in each iteration")).
		Saying("Python goes through %s one element at a time for every sample", p.Short(part.Value)).
		Advising("Compute on the whole array: NumPy's arithmetic, a table that is indexed by the array, np.where, a sliding window.")
}

// takesSlices reports a loop over the channels or columns of an array, which computes on a whole one in each turn: x[:, i].
func takesSlices(loop *pysrc.For) bool {
	names := namesStored(loop.Target)
	found := false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if part, ok := n.(*pysrc.Subscript); ok {
				axes, several := part.Slice.(*pysrc.Tuple)
				found = found || several && mentionsAny(axes, names) && slices.ContainsFunc(axes.Elts, func(e pysrc.Expr) bool { _, whole := e.(*pysrc.Slice); return whole })
			}
			return !found
		})
	}
	return found
}

// nestedElement is an element of an array that two or more nested loops over the array's sizes index: x[i, j], x[i][j].
func (p *SourcePass) nestedElement(loop *pysrc.For) (found *pysrc.Subscript) {
	var walk func(n pysrc.Node, level int, levels map[string]int)
	walk = func(n pysrc.Node, level int, levels map[string]int) {
		switch x := n.(type) {
		case *pysrc.For:
			if found != nil || x != loop && carries(x) {
				return
			}
			if p.overExtent(x.Iter) {
				level++
				levels = withLevel(levels, x.Target, level)
			} else if axes := elementsOf(x.Target); len(axes) > 1 && p.overAllExtents(x.Iter) {
				for _, axis := range axes {
					level++
					levels = withLevel(levels, axis, level)
				}
			}
		case *pysrc.Subscript:
			if found == nil && level > 1 && len(indexLevels(x, levels)) > 1 {
				found = x
			}
		}
		pysrc.Children(n, func(c pysrc.Node) { walk(c, level, levels) })
	}
	walk(loop, 0, map[string]int{})
	return found
}

// overExtent reports a loop over a range up to the size of an array or the length of something.
func (p *SourcePass) overExtent(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || lastName(c.Func) != "range" || len(c.Args) == 0 {
		return false
	}
	bound := c.Args[min(1, len(c.Args)-1)]
	return p.isSize(bound, 0) && !isLastSize(bound)
}

// overAllExtents reports a loop over all places of an array: product(range(h), range(w)), np.ndindex(x.shape).
func (p *SourcePass) overAllExtents(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || len(c.Args) == 0 {
		return false
	}
	switch p.NameOf(c.Func) {
	case "itertools.product":
		return !slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { return !p.overExtent(e) })
	case "numpy.ndindex":
		return !slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool {
			if spread, ok := e.(*pysrc.Starred); ok {
				e = spread.Value
			}
			return shapeFrom(e, false) == nil && !p.isSize(e, 0)
		})
	}
	return false
}

// indexLevels are the loops whose variables index an element: of x[i, j] and x[i][j].
func indexLevels(s *pysrc.Subscript, levels map[string]int) map[int]bool {
	used := map[int]bool{}
	for {
		parts := []pysrc.Expr{s.Slice}
		if t, ok := s.Slice.(*pysrc.Tuple); ok {
			parts = t.Elts
		}
		for _, e := range parts {
			if name, ok := e.(*pysrc.Name); ok && levels[name.ID] > 0 {
				used[levels[name.ID]] = true
			}
		}
		inner, ok := s.Value.(*pysrc.Subscript)
		if !ok {
			return used
		}
		s = inner
	}
}

// signalElement is x[i] or x[i : i + n] that one loop over the length of an array computes with; nil when there is none.
func (p *SourcePass) signalElement(path project.Path, loop *pysrc.For) *pysrc.Subscript {
	c, ok := loop.Iter.(*pysrc.Call)
	index, named := loop.Target.(*pysrc.Name)
	if !ok || !named || lastName(c.Func) != "range" || len(c.Args) == 0 || p.callsProject(loop.Body) {
		return nil
	}
	of := p.lengthWithin(c.Args[min(1, len(c.Args)-1)])
	if of == nil || !p.arrayOnPath(path, len(path.Calls), of, 0) {
		return nil
	}
	var found *pysrc.Subscript
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			part, ok := n.(*pysrc.Subscript)
			if ok && found == nil && mentionsName(part.Slice, index.ID) && isNamed(part.Value, of.ID) {
				found = part
			}
			return found == nil
		})
	}
	return found
}

// lengthWithin is x of len(x), len(x) - n and a variable that holds one of them.
func (p *SourcePass) lengthWithin(e pysrc.Expr) *pysrc.Name {
	if b, ok := e.(*pysrc.BinOp); ok {
		if of := p.lengthWithin(b.Left); of != nil {
			return of
		}
		return p.lengthWithin(b.Right)
	}
	name, _ := p.lengthOf(e).(*pysrc.Name)
	return name
}

// callsProject reports statements that call what is not arithmetic: functions of the project, decoders, models.
func (p *SourcePass) callsProject(body []pysrc.Stmt) bool {
	return len(body) > 0 && slices.ContainsFunc(p.Function(body[0]).Sites, func(s *project.Site) bool {
		if !inBody(body, s.Node) {
			return false
		}
		library, _, dotted := strings.Cut(s.Calls.Name, ".")
		switch library {
		case "numpy", "torch", "math", "random", "":
			return s.Calls.IsInstance("torch.nn.Module")
		}
		return dotted || s.Calls.Func != nil || s.Calls.Class != nil
	})
}

// arrayOnPath reports an array or a tensor: by what makes it, by how its function uses it, or by what the path passes.
func (p *SourcePass) arrayOnPath(path project.Path, calls int, e pysrc.Expr, depth int) bool {
	if depth > 6 {
		return false
	}
	switch x := e.(type) {
	case *pysrc.BinOp:
		return p.arrayOnPath(path, calls, x.Left, depth+1) || p.arrayOnPath(path, calls, x.Right, depth+1)
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && givesArray[a.Attr] {
			return true
		}
	case *pysrc.Name:
		list, given := p.Module.SaidOrGiven(x)
		if given && p.likened(x) || given && p.passedArray(path, calls, x, depth) {
			return true
		}
		if len(list) > 0 && !given {
			return !slices.ContainsFunc(list, func(s project.Said) bool { return !p.saidArray(path, calls, s, depth) })
		}
		return false
	}
	return p.isArray(e)
}

// saidArray reports a value that is an array, or the signal that a decoder gives together with its rate.
func (p *SourcePass) saidArray(path project.Path, calls int, s project.Said, depth int) bool {
	if s.Place >= 0 {
		if parts, ok := s.Value.(*pysrc.Tuple); ok && s.Place < len(parts.Elts) {
			return p.arrayOnPath(path, calls, parts.Elts[s.Place], depth+1)
		}
		c, ok := s.Value.(*pysrc.Call)
		return ok && s.Place == 0 && slices.Contains(decoders, p.NameOf(c.Func))
	}
	return p.arrayOnPath(path, calls, s.Value, depth+1)
}

// likened reports a variable of which NumPy or torch makes an array of the same shape: np.zeros_like(x).
func (p *SourcePass) likened(name *pysrc.Name) bool {
	return slices.ContainsFunc(p.Function(name).Sites, func(s *project.Site) bool {
		return strings.HasSuffix(s.Calls.Name, "_like") && isNamed(firstArg(s.Node), name.ID)
	})
}

// passedArray reports a parameter for which the path passes an array.
func (p *SourcePass) passedArray(path project.Path, calls int, name *pysrc.Name, depth int) bool {
	fn := p.Function(name)
	if calls == 0 || fn.Def == nil || path.Calls[calls-1].Calls.Func != fn {
		return false
	}
	site := path.Calls[calls-1]
	given := site.Given(fn, name.ID)
	return given != nil && p.In(site.Module()).arrayOnPath(path, calls-1, given, depth+1)
}

// givesArray are methods that only arrays and tensors have.
var givesArray = setOfNames("numpy", "astype", "clone", "detach", "long", "float", "squeeze", "permute", "reshape", "mean", "flatten")
